import { DeskFailure, failureOf, invalid } from '#shared/api/failure.ts'
import type { InstancesAnswer } from '#shared/api/answers.ts'
import type { Failure, FailureKind } from '#shared/api/failure.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { characterWords, readTyped, strangeInToken } from '#shared/values/typed-text.ts'
import { AccessToken } from '#main/api/token.ts'
import { parseServiceAddress } from '#main/api/address.ts'
import type { ServiceClient } from '#main/api/client.ts'
import { readScope } from './read-scope.ts'

type Field = 'name' | 'address' | 'token' | 'dayZone'

/** @throws DeskFailure about `name` where it is blank or taken */
export function checkName(typed: string, taken: readonly string[]): string {
  const name = readTyped(typed, 'name')
  if (name === '') throw invalid('Enter a name for the account.', 'name')
  if (taken.includes(name)) throw invalid('An account with this name already exists. Choose another.', 'name')
  return name
}

/** @throws DeskFailure about `address`, in the words of the service's client */
export function checkAddress(typed: string): string {
  const parsed = parseServiceAddress(typed)
  if (!parsed.ok) throw new DeskFailure({ ...parsed.failure, field: 'address' })
  return parsed.value
}

/**
 * A token for the service at an address. What cannot be one is named by its first wrong character, and no other is told.
 * @throws DeskFailure about `token` where it cannot be one
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
 * The zone in which an account's days begin, by its IANA name. A bare offset such as `+01:00` is none: it knows no summer.
 * @throws DeskFailure about `dayZone`
 */
export function checkZone(typed: string): string {
  const zone = readTyped(typed, 'code')
  if (!/^[a-z]/i.test(zone) || !isKnownZone(zone)) {
    throw invalid('Unknown time zone. Choose one such as UTC or Europe/Berlin.', 'dayZone')
  }
  return zone
}

function isKnownZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).format(0) !== ''
  } catch {
    return false
  }
}

/** The field that a failure of the first call is about; null where the input is not to blame. */
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

/** Whether a service may have refused the form of a body: who reads no JSON finds no token in it, and may call that a bad token. */
export const mayBeTheForm = ({ kind }: Failure): boolean => kind === 'bad-request' || kind === 'refused-token'

/**
 * What came of asking in one form of body, with what to do. The look-up is asked plainly: what a service finds bad about it is most
 * likely the form of its body.
 */
export function oneFormRefused(error: unknown): unknown {
  const failure = failureOf(error)
  if (failure.kind !== 'bad-request') return error
  const advice = 'Some services accept JSON, others form fields. Try the other under “Request format”.'
  return new DeskFailure({ ...failure, message: `${failure.message} ${advice}` })
}

/** Where neither form of body is taken: the failure that says most, and the service's words about both. */
export function bothFormsRefused(first: Failure, second: Failure): DeskFailure {
  const worst = [first, second].find(({ kind }) => kind === 'refused-token') ?? first
  const said = [...new Set([first.said, second.said])].filter((words) => words !== undefined).join(' · ')
  const message = `${worst.message} Requests were tried both ways, as JSON and as form fields.`
  return new DeskFailure({ ...worst, message, ...(said !== '' && { said }) })
}

/**
 * Asks for the first of the instances that the token may see (specification: authentication), without the entry for
 * all of them: `results` is how many there are.
 * @throws DeskFailure that says whether address or token is wrong
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
 * Asks for all of the instances that the token may see: nothing is kept for a token of which that is not known.
 * @throws DeskFailure that says whether address or token is wrong, and what `readScope` throws
 */
export async function checkScope(client: ServiceClient, signal: AbortSignal): Promise<readonly InstanceId[]> {
  return await explained(() => readScope(client, signal))
}

/** Says of a failure of the first call which field it is about. */
async function explained<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    const failure = failureOf(error)
    const field = fieldOf[failure.kind]
    throw field === null ? error : new DeskFailure({ ...failure, field })
  }
}
