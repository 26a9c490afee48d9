/** Id of an account in this app; a random UUID, never shown. */
export type AccountId = string & { readonly __brand: 'AccountId' }

/**
 * Id of a data scope: one account at one origin, with a token that sees certain instances. Figures of two data scopes
 * are never added up. It names folders, so it only has letters, digits and hyphens.
 */
export type DataScopeId = string & { readonly __brand: 'DataScopeId' }

/** Id of an instance, as text. The service sends the same id as a number or a string. */
export type InstanceId = string & { readonly __brand: 'InstanceId' }

/** Id of a raw report. */
export type RawReportId = string & { readonly __brand: 'RawReportId' }

/** A time in milliseconds since 1970, by the local clock. */
export type Instant = number & { readonly __brand: 'Instant' }

/** Brands a time of a clock. Times from outside are checked first, usually by the schema `instant`. */
export const instantOf = (time: number): Instant => time as Instant

/** Converts an instance id from the service to text. Returns undefined if the value is neither text nor a number. */
export function instanceId(value: unknown): InstanceId | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value) as InstanceId
  if (typeof value === 'string' && value !== '') return value as InstanceId
  return undefined
}
