import { DeskFailure, failureOf, invalid } from '#shared/api/failure.ts'
import type { InstancesAnswer } from '#shared/api/answers.ts'
import type { Failure, FailureKind } from '#shared/api/failure.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { isZone } from '#shared/values/day.ts'
import { characterWords, readTyped, strangeInToken } from '#shared/values/typed-text.ts'
import { AccessToken } from '#main/api/token.ts'
import { parseServiceAddress } from '#main/api/address.ts'
import type { ServiceClient } from '#main/api/client.ts'
import { readScope } from './read-scope.ts'

type Field = 'name' | 'address' | 'token' | 'dayZone'

/** @throws DeskFailure about `name` if it is blank or taken */
export function checkName(typed: string, taken: readonly string[]): string {
  const name = readTyped(typed, 'name')
  if (name === '') throw invalid('Enter a name for the account.', 'name')
  if (taken.includes(name)) throw invalid('An account with this name already exists. Choose another.', 'name')
  return name
}

/** @throws DeskFailure about `address` */
export function checkServiceAddress(typed: string): string {
  const parsed = parseServiceAddress(typed)
  if (!parsed.ok) throw new DeskFailure({ ...parsed.failure, field: 'address' })
  return parsed.value
}

/**
 * Validates a token for the service at an address. The error message quotes only the first invalid character.
 * @throws DeskFailure about `token`
 */
export function checkToken(typed: string, address: string): AccessToken {
  const token = readTyped(typed, 'token')
  if (token === '') throw invalid('Enter the access token you were given for this service.', 'token')
  const strange = strangeInToken(token)
  if (strange !== undefined) {
    const words = `A token can't contain ${characterWords(strange)}. Copy it again, or type that character.`
    throw invalid(words, 'token')
  }
  return new AccessToken(token, address)
}

/**
 * Validates an IANA time zone. Offsets such as `+01:00` are rejected, because they have no daylight saving time.
 * @throws DeskFailure about `dayZone`
 */
export function checkZone(typed: string): string {
  const zone = readTyped(typed, 'code')
  if (!/^[a-z]/i.test(zone) || !isZone(zone)) {
    throw invalid('Unknown time zone. Choose one such as UTC or Europe/Berlin.', 'dayZone')
  }
  return zone
}

/** Form field that a failure of the first request is about; null if the input is not the cause. */
const fieldOf: Readonly<Record<FailureKind, Field | null>> = {
  offline: 'address',
  'not-found': 'address',
  malformed: 'address',
  'refused-token': 'token',
  'no-right': 'token',
  'no-token': 'token',
  'bad-request': null,
  'out-of-window': null,
  'timed-out': null,
  'server-trouble': null,
  resting: null,
  'proxy-sign-in': null,
  cancelled: null,
  costly: null,
  invalid: null,
  'no-keychain': null,
  disk: null,
  internal: null,
}

/**
 * Whether a service may have rejected the body encoding. A service that cannot parse JSON finds no token, and may
 * report a bad token.
 */
export const mayBeTheForm = ({ kind }: Failure): boolean => kind === 'bad-request' || kind === 'refused-token'

/** Adds advice to a failure in one body encoding. For so simple a request, the likely cause is the encoding. */
export function oneFormRefused(error: unknown): unknown {
  const failure = failureOf(error)
  if (failure.kind !== 'bad-request') return error
  const advice = 'Some services accept JSON, others form fields. Try the other under “Request format”.'
  return new DeskFailure({ ...failure, message: `${failure.message} ${advice}` })
}

/** Failure of both body encodings: the more specific failure, with the service's messages about both. */
export function bothFormsRefused(first: Failure, second: Failure): DeskFailure {
  const worst = [first, second].find(({ kind }) => kind === 'refused-token') ?? first
  const said = [...new Set([first.said, second.said])].filter((words) => words !== undefined).join(' · ')
  const message = `${worst.message} Requests were tried both ways, as JSON and as form fields.`
  return new DeskFailure({ ...worst, message, ...(said !== '' && { said }) })
}

/**
 * Requests the first instance that the token sees (specification: authentication). `results` is their number.
 * @throws DeskFailure with the field at fault
 */
export async function checkService(client: ServiceClient, signal: AbortSignal): Promise<InstancesAnswer> {
  const instances = explained(async () => {
    const { answer } = await client.call('interface/instances', { all: false, limit: 1 }, { signal })
    return answer
  })
  return await instances.catch((error: unknown) => {
    throw oneFormRefused(error)
  })
}

/**
 * Lists all instances that the token sees. Required before anything is stored for a token.
 * @throws DeskFailure with the field at fault; as `readScope` does
 */
export async function checkScope(client: ServiceClient, signal: AbortSignal): Promise<readonly InstanceId[]> {
  return await explained(() => readScope(client, signal))
}

/** Adds the field at fault to a failure of the first request. */
async function explained<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    const failure = failureOf(error)
    const field = fieldOf[failure.kind]
    throw field === null ? error : new DeskFailure({ ...failure, field })
  }
}
