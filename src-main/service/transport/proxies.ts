import { ServiceFailure } from '../service-failure.ts'

/** A way to the service. */
export type Route = { readonly kind: 'direct' } | { readonly kind: 'proxy'; readonly uri: string }

export const direct: Route = { kind: 'direct' }

const schemes: Readonly<Record<string, string>> = { PROXY: 'http', HTTP: 'http', HTTPS: 'https' }

type Entry = Route | { readonly kind: 'unusable'; readonly words: string }

function entryOf(text: string): Entry {
  const [type = '', place = ''] = text.split(/\s+/)
  if (type.toUpperCase() === 'DIRECT') return direct
  const scheme = schemes[type.toUpperCase()]
  const uri = `${scheme}://${place}`
  return scheme && place !== '' && URL.canParse(uri)
    ? { kind: 'proxy', uri }
    : { kind: 'unusable', words: text }
}

/**
 * The ways that a proxy resolver names, such as `PROXY proxy.example:3128; DIRECT`, in its order.
 * @throws ServiceFailure where it names none that can be used: SOCKS proxies cannot
 */
export function routesOf(resolved: string): readonly Route[] {
  const texts = resolved
    .split(';')
    .map((text) => text.trim())
    .filter((text) => text !== '')
  const entries = texts.map(entryOf)
  const routes = entries.filter((entry) => entry.kind !== 'unusable')
  const [unusable] = entries.filter((entry) => entry.kind === 'unusable')
  if (routes.length > 0 || !unusable) return routes.length > 0 ? routes : [direct]
  throw new ServiceFailure({
    kind: 'server-trouble',
    message:
      `This computer is set to reach the service through a proxy that Traffic Desk cannot use (${unusable.words}). ` +
      "Set an HTTP or HTTPS proxy in the system's network settings.",
  })
}

const REST = 5 * 60_000

/** Remembers proxies that could not be reached, so that the next request begins with one that can. */
export class RestingProxies {
  readonly #until = new Map<string, number>()

  /** Puts the ways whose proxy was not reached lately last. */
  order(routes: readonly Route[], now: number): readonly Route[] {
    const rests = (route: Route) => route.kind === 'proxy' && (this.#until.get(route.uri) ?? 0) > now
    return [...routes.filter((route) => !rests(route)), ...routes.filter(rests)]
  }

  rest(route: Route, now: number): void {
    if (route.kind === 'proxy') this.#until.set(route.uri, now + REST)
  }
}
