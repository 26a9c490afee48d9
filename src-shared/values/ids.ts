/** An account of this app; a random UUID, never shown. */
export type AccountId = string & { readonly __brand: 'AccountId' }

/**
 * Whose figures are kept: one account, at one origin, with a token of one scope. An account has one data scope at a time; figures
 * of two data scopes are never added up. It names folders, so it has letters, digits and hyphens alone.
 */
export type DataScopeId = string & { readonly __brand: 'OwnerId' }

/**
 * An instance's id as text. The service sends it as a number in one answer and as a string in the next;
 * as text they are the same instance.
 */
export type InstanceId = string & { readonly __brand: 'InstanceId' }

/** A raw report's id. */
export type RawReportId = string & { readonly __brand: 'RawReportId' }

/** Milliseconds since 1970 at which something happened, by this machine's clock. */
export type Instant = number & { readonly __brand: 'Instant' }

/** Any value the service may use as an instance id, as text; undefined where it is neither text nor number. */
export function instanceId(value: unknown): InstanceId | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value) as InstanceId
  if (typeof value === 'string' && value !== '') return value as InstanceId
  return undefined
}
