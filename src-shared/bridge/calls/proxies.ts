import * as v from 'valibot'
import { proxyOrigin } from '#shared/accounts/account.ts'
import type { ProxyOrigin, ProxyState } from '#shared/accounts/account.ts'
import { call, nothing } from '../call.ts'
import { shortText } from '../schemas.ts'

const proxy = v.custom<ProxyOrigin>((given) => typeof given === 'string' && proxyOrigin(given) === given)

export const proxyCalls = {
  /** The proxies that wait for a person, and those that somebody has signed in to. */
  'proxies/list': call(nothing)<readonly ProxyState[]>(),
  /** Asks a proxy, which has asked before, with a name and password; where it takes them, they are kept. */
  'proxies/sign-in': call(
    v.strictObject({
      proxy,
      name: shortText,
      password: shortText,
      keep: v.picklist(['keychain', 'session']),
    }),
  )<{ readonly stored: 'keychain' | 'session' }>(),
  /** Asks the proxies that wait once more, with what there is. */
  'proxies/try-again': call(nothing)<null>(),
  'proxies/forget': call(v.strictObject({ proxy }))<null>(),
} as const
