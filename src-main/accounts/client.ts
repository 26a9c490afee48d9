import type { BodyEncoding } from '#shared/accounts/account.ts'
import type { ClientOptions, ServiceClient } from '#main/api/client.ts'
import type { AccessToken } from '#main/api/token.ts'

export type CreateClient = (options: {
  readonly address: string
  readonly bodyEncoding: BodyEncoding
  readonly token: () => Promise<AccessToken>
  readonly ahead?: NonNullable<ClientOptions['ahead']>
}) => ServiceClient
