import type { Account, Connection } from '../accounts/account.ts'
import type { ProxyState } from '../accounts/proxy.ts'
import type { ReportAnswer } from '../reports/answer.ts'
import type { AccountId } from '../values/ids.ts'

/** Something the person should know that is not about one answer. */
export type Notice = {
  readonly id: string
  readonly tone: 'information' | 'warning' | 'trouble'
  readonly title: string
  readonly text: string
}

/** What a window needs to begin. */
export type DeskState = {
  readonly version: string
  readonly accounts: readonly Account[]
  readonly active: AccountId | null
  readonly connection: Connection
  readonly notices: readonly Notice[]
  /** Proxies that wait for a person to sign in. */
  readonly proxies: readonly ProxyState[]
  /** The address of the view that was open last, as the renderer wrote it. */
  readonly lastView: string | null
  /** What a window that has just opened asks first, as far as it was answered at once: it is drawn with its figures. */
  readonly answers: readonly ReportAnswer[]
}
