import type { Outcome } from '#shared/api/failure.ts'
import { isLoopback } from './token.ts'

const wrong = (message: string): Outcome<string> => ({
  ok: false,
  failure: { kind: 'invalid', field: 'address', message },
})

/** The text with a scheme: https where none is given. `localhost:8080` has none, although it looks as if it had. */
function withScheme(text: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text.replace(/^\/\//, '')}`
}

/**
 * Reads a service address as a person types it.
 * @returns origin and base path without `/v1` and without a slash at the end, or what exactly is wrong with it
 */
export function parseServiceAddress(text: string): Outcome<string> {
  const typed = text.trim()
  if (typed === '') return wrong('Enter the service address, such as https://reports.example.')
  if (/\s/.test(typed)) return wrong("A service address can't contain spaces.")
  const written = withScheme(typed)
  if (!URL.canParse(written))
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
