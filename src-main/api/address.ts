import { isIPv6 } from 'node:net'
import { endpointPaths } from '#shared/api/endpoints.ts'
import type { Outcome } from '#shared/api/failure.ts'
import { characterWords, readTyped, strangeInAddress } from '#shared/values/typed-text.ts'
import { isLoopback } from './token.ts'

const wrong = (message: string): Outcome<string> => ({
  ok: false,
  failure: { kind: 'invalid', field: 'address', message },
})

/**
 * Adds https:// if the scheme is missing, and repairs the slashes after a scheme. `localhost:8080` has no scheme, although
 * `localhost:` looks like one.
 */
function withScheme(text: string): string {
  const written = text.replace(/^(https?):[\\/]+(?=[^\\/])/i, '$1://')
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(written) ? written : `https://${written.replace(/^\/\//, '')}`
}

/** Puts brackets around an IPv6 host; null if the last group may be a port. */
function withBrackets(text: string): string | null {
  const [, scheme = '', host = '', rest = ''] =
    /^([a-z][a-z0-9+.-]*:\/\/)([^/?#@[\]]*)(?=[/?#]|$)(.*)$/i.exec(text) ?? []
  if (host.split(':').length < 3) return text
  const [, withoutLast = ''] = /^(.*[^:]):\d{1,5}$/.exec(host) ?? []
  return !isIPv6(host) || isIPv6(withoutLast) ? null : `${scheme}[${host}]${rest}`
}

const familyPaths = [...new Set(endpointPaths.map((path) => path.replace(/\/.*/, '')))]

/** Matches an address that ends with an endpoint's path and anything after it, or with `/v1` and a family. */
const endpointAddress = new RegExp(
  `^([a-z]+://[^/?#]+.*?)(?:(?:/v1)?/(?:${endpointPaths.join('|')})/*(?:[?#].*)?|/v1/(?:${familyPaths.join('|')})/*)$`,
  'i',
)

/**
 * Parses a service address that the user typed or pasted. The address of an endpoint is accepted too.
 * @returns origin and base path without `/v1` and trailing slash, or a failure that names the mistake
 */
export function parseServiceAddress(text: string): Outcome<string> {
  const typed = readTyped(text, 'address')
  if (typed === '') return wrong('Enter the service address, such as https://reports.example.')
  if (/\s/.test(typed)) return wrong("A service address can't contain spaces.")
  const strange = strangeInAddress(typed)
  if (strange !== undefined)
    return wrong(`A service address can't contain ${characterWords(strange)}. Type that character again.`)
  const written = withBrackets(withScheme(typed).replace(endpointAddress, '$1'))
  if (written === null) return wrong('Put an IPv6 address in brackets, such as https://[2001:db8::1]:8443.')
  if (!URL.canParse(written) || /^https?:\/\/https?(?:[:/?#]|$)/i.test(written))
    return wrong('This is not a web address. It should look like https://reports.example.')
  const url = new URL(written)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return wrong(`A service address starts with https://, not ${url.protocol}//.`)
  }
  if (url.username !== '' || url.password !== '') {
    return wrong('Leave name and password out of the address. The access token has its own field.')
  }
  if (url.search !== '' || written.includes('?')) {
    return wrong('Leave out the question mark and what follows it.')
  }
  if (url.hash !== '' || written.includes('#')) return wrong('Leave out the # and what follows it.')
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return wrong(
      'This address starts with http://, which would send the access token unencrypted. ' +
        'Use https://. Only services on this computer may use http://.',
    )
  }
  const base = url.pathname.replace(/\/+$/, '').replace(/\/v1$/i, '').replace(/\/+$/, '')
  return { ok: true, value: `${url.origin}${base}` }
}
