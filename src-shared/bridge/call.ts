import * as v from 'valibot'
import { accountId } from './schemas.ts'

/** A call over the bridge: its argument is checked by schema where it arrives; the result is typed. */
export type Call<Schema extends v.GenericSchema, Result> = {
  readonly argument: Schema
  readonly result?: Result
}

export const call =
  <Schema extends v.GenericSchema>(argument: Schema) =>
  <Result>(): Call<Schema, Result> => ({ argument })

export const nothing = v.undefined()
export const anAccount = v.strictObject({ account: accountId })
