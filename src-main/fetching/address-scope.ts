import { lookup } from 'node:dns'
import type { LookupAddress, LookupAllOptions } from 'node:dns'
import { BlockList, isIP } from 'node:net'
import type { LookupFunction } from 'node:net'
import { DeskFailure } from '#shared/api/failure.ts'

/**
 * Network scope of an address. A download may lead no nearer to this computer than the service does: a service on the
 * internet must not direct the app to hosts that only this computer can reach.
 */
export const addressScopes = ['public', 'private', 'loopback'] as const
export type AddressScope = (typeof addressScopes)[number]

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')
// The unspecified address: systems connect to themselves.
loopback.addAddress('0.0.0.0', 'ipv4')
loopback.addAddress('::', 'ipv6')

/** Non-public ranges: IANA's special-purpose registries, and ranges that embed other addresses. */
const special = new BlockList()
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  special.addSubnet(net, prefix, 'ipv4')
}
for (const [net, prefix] of [
  ['::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const) {
  special.addSubnet(net, prefix, 'ipv6')
}

/** NAT64 prefix: the last 32 bits hold the IPv4 address. */
const translated = new BlockList()
translated.addSubnet('64:ff9b::', 96, 'ipv6')

/** @param address an IPv4 or IPv6 address, without brackets */
export function scopeOfAddress(address: string): AddressScope {
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
  if (translated.check(address, family)) return scopeOfAddress(lastFour(address))
  if (loopback.check(address, family)) return 'loopback'
  return special.check(address, family) ? 'private' : 'public'
}

/** Returns the IPv4 address in the last 32 bits of an IPv6 address. */
function lastFour(address: string): string {
  // The URL parser normalises every notation to groups in hexadecimal.
  const groups = new URL(`http://[${address}]/`).hostname.slice(1, -1).split(':')
  const [high, low] = groups.slice(-2).map((group) => Number.parseInt(group || '0', 16))
  return [(high ?? 0) >> 8, (high ?? 0) & 255, (low ?? 0) >> 8, (low ?? 0) & 255].join('.')
}

const isWithin = (scope: AddressScope, allowed: AddressScope): boolean =>
  addressScopes.indexOf(scope) <= addressScopes.indexOf(allowed)

/** Returns the scope of a host without a DNS lookup; undefined for a name that needs one. */
export function scopeOfHost(hostname: string): AddressScope | undefined {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
  if (host === 'localhost' || host.endsWith('.localhost')) return 'loopback'
  return isIP(host) === 0 ? undefined : scopeOfAddress(host)
}

type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

const resolveBySystem: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)))
  })

/** Returns the scope of a service. Falls back to `public` if its name does not resolve here, as behind a proxy. */
export async function scopeOfService(
  address: string,
  resolve: Resolve = resolveBySystem,
): Promise<AddressScope> {
  const { hostname } = new URL(address)
  const named = scopeOfHost(hostname)
  if (named !== undefined) return named
  const found = await resolve(hostname).catch(() => [])
  // Of several addresses the most public counts, which allows the least.
  return (
    found
      .map((lookupAddress) => scopeOfAddress(lookupAddress.address))
      .sort((a, b) => (isWithin(a, b) ? -1 : 1))[0] ?? 'public'
  )
}

const refused = (message: string) => new DeskFailure({ kind: 'malformed', message })

/**
 * Checks an address before a request is sent to it.
 * @throws DeskFailure for a scheme other than https (http is allowed on this computer only), credentials in the
 * address, or a host nearer than the service
 */
export function checkDownloadAddress(url: URL, allowed: AddressScope): void {
  const named = scopeOfHost(url.hostname)
  const plain = url.protocol === 'http:' && named === 'loopback' && allowed === 'loopback'
  if (url.protocol !== 'https:' && !plain) {
    throw refused(`The download address starts with ${url.protocol}, not https. The download was refused.`)
  }
  if (url.username !== '' || url.password !== '') {
    throw refused('The download address contains a name and password. The download was refused.')
  }
  if (named !== undefined && !isWithin(named, allowed)) throw tooNear(url.host)
}

const tooNear = (host: string) =>
  refused(`The download address ${host} is inside this computer or its network. The download was refused.`)

/** Signature of `dns.lookup` with the option `all`. */
export type LookUp = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** Wraps the system's DNS lookup, and removes addresses outside the allowed scope. */
export function guardedLookup(allowed: AddressScope, lookUp: LookUp = lookup): LookupFunction {
  return (hostname, options, callback) => {
    lookUp(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0)
      const within = addresses.filter(({ address }) => isWithin(scopeOfAddress(address), allowed))
      const [first] = within
      if (!first) return callback(tooNear(hostname), '', 0)
      if (options.all) return callback(null, within)
      return callback(null, first.address, first.family)
    })
  }
}
