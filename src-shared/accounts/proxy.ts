/**
 * A proxy of the network that wants to know who asks, as windows see it. What it is told is never part of it.
 *
 * - `asks`: nothing goes through it until a person signs in; `refusedSaved` where it refused what was kept for it.
 * - `other-kind`: it wants to be told in a way that is not spoken here; `kinds` names it, such as `NTLM, Negotiate`.
 * - `signed-in`: it has a name and password, in the keychain or in memory until the app ends.
 */
export type ProxyState = {
  /** Scheme, host and port, such as `http://proxy.example:3128`. */
  readonly origin: ProxyOrigin
} & (
  | { readonly kind: 'asks'; readonly refusedSaved: boolean }
  | { readonly kind: 'other-kind'; readonly kinds: string }
  | { readonly kind: 'signed-in'; readonly stored: 'keychain' | 'session' }
)

/** Where a proxy is: `http://` or `https://`, host, and port, which is always there. Names and passwords are for one of these alone. */
export type ProxyOrigin = string & { readonly __brand: 'ProxyOrigin' }

/** The origin of a proxy's address; null where it is none. */
export function proxyOrigin(address: string): ProxyOrigin | null {
  if (!URL.canParse(address)) return null
  const { protocol, hostname, port } = new URL(address)
  if (hostname === '' || (protocol !== 'http:' && protocol !== 'https:')) return null
  return `${protocol}//${hostname}:${port || (protocol === 'https:' ? '443' : '80')}` as ProxyOrigin
}

/** A proxy's host and port, as the system's settings name it. */
export const placeOfProxy = (origin: ProxyOrigin): string => origin.replace(/^https?:\/\//, '')

/** Whether what the proxy itself is told goes there encrypted. */
export const isEncryptedProxy = (origin: ProxyOrigin): boolean => origin.startsWith('https:')
