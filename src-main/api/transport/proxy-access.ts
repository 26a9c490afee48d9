import { proxyAuthority, proxyOrigin } from '#shared/accounts/account.ts'
import type { ProxyOrigin } from '#shared/accounts/account.ts'
import { NeverSent } from '../network-failure.ts'

/** Proxy-Authorization header, or null for none. `version` is that of the credentials. */
export type ProxyPass = { readonly authorization: string | null; readonly version: number }

/** Response of a proxy to one CONNECT. */
export type ProxyAnswer = {
  readonly origin: ProxyOrigin
  /** Target of the CONNECT, such as `reports.example:443`. */
  readonly authority: string
  readonly version: number
  /** Null if no response arrived. */
  readonly status: number | null
  /** The Proxy-Authenticate header, or an empty text. */
  readonly challenges: string
}

/** Provides credentials for proxies, by proxy origin. */
export type ProxyAccess = {
  /** @throws NeverSent of kind `proxy-sign-in` if the user has to sign in to the proxy first */
  readonly passFor: (origin: ProxyOrigin) => Promise<ProxyPass>
  /**
   * Called once after each `passFor`, with the result of the CONNECT.
   * @returns `again` if newer credentials are available
   * @throws NeverSent of kind `proxy-sign-in` if the proxy requires a sign-in
   */
  readonly onProxyAnswer: (answer: ProxyAnswer) => Promise<'through' | 'again'>
}

/** Never signs in. */
export const noProxyAccess: ProxyAccess = {
  passFor: () => Promise.resolve({ authorization: null, version: 0 }),
  onProxyAnswer: ({ origin, status, challenges }) =>
    status === 407
      ? Promise.reject(proxyAsks(origin, signInMethodOf(challenges)))
      : Promise.resolve('through'),
}

/** Sign-in method of a proxy: Basic, which the app supports, or the names of other methods. */
export type SignInMethod =
  { readonly kind: 'basic' } | { readonly kind: 'other-kind'; readonly kinds: string }

const authSchemes = ['Basic', 'Digest', 'NTLM', 'Negotiate', 'Bearer']

/** Parses a Proxy-Authenticate header. The realm and unknown methods are never shown. */
export function signInMethodOf(challenges: string): SignInMethod {
  const bare = challenges.slice(0, 10_000).replace(/"(?:\\.|[^"\\])*"?/g, '')
  const schemes = bare.split(',').flatMap((part) => /^\s*([\w-]+)(?:\s+[^\s=]|\s*$)/.exec(part)?.[1] ?? [])
  const found = authSchemes.filter((name) =>
    schemes.some((scheme) => scheme.toLowerCase() === name.toLowerCase()),
  )
  if (found.includes('Basic')) return { kind: 'basic' }
  return { kind: 'other-kind', kinds: found.join(', ') || 'one that it does not name' }
}

/** Creates the failure for a proxy that requires a sign-in. */
export function proxyAsks(origin: ProxyOrigin, wanted: SignInMethod): NeverSent {
  const authority = proxyAuthority(origin)
  const message =
    wanted.kind === 'basic'
      ? `The proxy ${authority} asks for a name and password. Sign in to it to continue.`
      : `The proxy ${authority} uses a sign-in that Traffic Desk doesn't support (${wanted.kinds}). ` +
        "Sign in with the network's own program, or ask for a “Basic” proxy."
  return new NeverSent({ kind: 'proxy-sign-in', message })
}

type ProxyResponse = { readonly status: number; readonly challenges: string; readonly drop: () => void }

/**
 * Sends a CONNECT to a proxy, with the credentials of the proxy's origin if any.
 * @param attempt sends one CONNECT with these additional headers
 * @returns the proxy's response, whatever its status except 407
 * @throws errors of `attempt`; NeverSent of kind `proxy-sign-in` if the proxy requires a sign-in
 */
export async function askProxy<A extends ProxyResponse>(
  access: ProxyAccess,
  { uri, authority }: { readonly uri: string; readonly authority: string },
  attempt: (headers: Readonly<Record<string, string>>) => Promise<A>,
): Promise<A> {
  const origin = proxyOrigin(uri)
  if (origin === null) throw new RangeError('A proxy needs an address')
  for (;;) {
    const { authorization, version } = await access.passFor(origin)
    const request = { origin, authority, version }
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
