import { placeOfProxy, proxyOrigin } from '#shared/accounts/account.ts'
import type { ProxyOrigin } from '#shared/accounts/account.ts'
import { NeverSent } from '../network-failure.ts'

/** What a proxy is asked with: a Proxy-Authorization header, or none. `turn` tells one name and password from the next. */
export type ProxyPass = { readonly authorization: string | null; readonly turn: number }

/** What a proxy answered to one CONNECT. */
export type ProxyAnswer = {
  readonly origin: ProxyOrigin
  /** The place that was asked for, such as `reports.example:443`. */
  readonly place: string
  readonly turn: number
  /** Null where no answer came. */
  readonly status: number | null
  /** Its Proxy-Authenticate header, or nothing. */
  readonly challenges: string
}

/** Who knows names and passwords for proxies, by the origin that each is for. */
export type ProxyAccess = {
  /** @throws NeverSent of kind `proxy-sign-in` where the proxy is not to be asked until a person has signed in */
  readonly passFor: (origin: ProxyOrigin) => Promise<ProxyPass>
  /**
   * Hears what came of it; each `passFor` is followed by one.
   * @returns `again` where there is another name and password by now
   * @throws NeverSent of kind `proxy-sign-in` where the proxy wants to know who asks
   */
  readonly onProxyAnswer: (answer: ProxyAnswer) => Promise<'through' | 'again'>
}

/** Signs in to none. */
export const noProxyAccess: ProxyAccess = {
  passFor: () => Promise.resolve({ authorization: null, turn: 0 }),
  onProxyAnswer: ({ origin, status, challenges }) =>
    status === 407 ? Promise.reject(proxyAsks(origin, wantedBy(challenges))) : Promise.resolve('through'),
}

/** How a proxy wants to be told who asks: in the one way that is spoken here, or in others, by their names. */
export type Wanted = { readonly kind: 'basic' } | { readonly kind: 'other-kind'; readonly kinds: string }

const known = ['Basic', 'Digest', 'NTLM', 'Negotiate', 'Bearer']

/** Reads a Proxy-Authenticate header. What a proxy calls its realm, or an unknown kind, is not shown to anybody. */
export function wantedBy(challenges: string): Wanted {
  const bare = challenges.slice(0, 10_000).replace(/"(?:\\.|[^"\\])*"?/g, '')
  const schemes = bare.split(',').flatMap((part) => /^\s*([\w-]+)(?:\s+[^\s=]|\s*$)/.exec(part)?.[1] ?? [])
  const found = known.filter((name) => schemes.some((scheme) => scheme.toLowerCase() === name.toLowerCase()))
  if (found.includes('Basic')) return { kind: 'basic' }
  return { kind: 'other-kind', kinds: found.join(', ') || 'one that it does not name' }
}

/** What a person reads where a proxy wants to know who asks. */
export function proxyAsks(origin: ProxyOrigin, wanted: Wanted): NeverSent {
  const place = placeOfProxy(origin)
  const message =
    wanted.kind === 'basic'
      ? `The proxy ${place} asks for a name and password. Sign in to it to continue.`
      : `The proxy ${place} uses a sign-in that Traffic Desk doesn't support (${wanted.kinds}). ` +
        "Sign in with the network's own program, or ask for a proxy that accepts “Basic”."
  return new NeverSent({ kind: 'proxy-sign-in', message })
}

/** A proxy's answer to a CONNECT. */
type ProxyResponse = { readonly status: number; readonly challenges: string; readonly drop: () => void }

/**
 * Asks a proxy for a place, with the name and password for its origin alone, where there are any.
 * @param attempt sends one CONNECT with these headers more
 * @returns the proxy's answer, whatever its status, but for 407
 * @throws what `attempt` throws; NeverSent of kind `proxy-sign-in` where the proxy wants to know who asks
 */
export async function askProxy<A extends ProxyResponse>(
  access: ProxyAccess,
  { uri, place }: { readonly uri: string; readonly place: string },
  attempt: (headers: Readonly<Record<string, string>>) => Promise<A>,
): Promise<A> {
  const origin = proxyOrigin(uri)
  if (origin === null) throw new RangeError('A proxy needs an address')
  for (;;) {
    const { authorization, turn } = await access.passFor(origin)
    const request = { origin, place, turn }
    const answer = await attempt(
      authorization === null ? {} : { 'proxy-authorization': authorization },
    ).catch(async (error: unknown) => {
      await access.onProxyAnswer({ ...request, status: null, challenges: '' }).catch(() => undefined)
      throw error
    })
    try {
      const { status, challenges } = answer
      if ((await access.onProxyAnswer({ ...request, status, challenges })) === 'through') return answer
    } catch (error) {
      answer.drop()
      throw error
    }
    answer.drop()
  }
}
