import type { BodyEncoding } from '../../src-shared/accounts/account.ts'
import type { Outcome } from '../../src-shared/service/failure.ts'
import type { ClientOptions, ServiceClient } from '../service/client.ts'
import type { AccessToken } from '../service/token.ts'

export type CreateClient = (options: {
  readonly address: string
  readonly bodyEncoding: BodyEncoding
  readonly token: () => Promise<AccessToken>
  readonly ahead?: NonNullable<ClientOptions['ahead']>
}) => ServiceClient

/** Reads a service address as typed. */
export type ParseAddress = (typed: string) => Outcome<string>
