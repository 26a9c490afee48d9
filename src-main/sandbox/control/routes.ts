import * as v from 'valibot'
import type { SandboxState } from './state.ts'
import {
  behaviourChange,
  changed,
  clockChange,
  faultSchema,
  rawChange,
  restatement,
  tokenChange,
} from './schemas.ts'

/** What control may do with the raw reports. */
export type RawControl = {
  /** The next report that is requested ends so instead of becoming ready. */
  readonly endNext: (outcome: 'failed' | 'timed_out') => void
  /** Every report there is, oldest first, for `GET /state`. */
  readonly summary: () => readonly { readonly id: string; readonly status: string }[]
}

/** Answers one request of the control server with JSON data; throws a `v.ValiError` on bad input. */
export type Route = (body: unknown) => unknown

/** What the control server answers, by method and path. Nothing here ever holds a token. */
export function controlRoutes(state: SandboxState, raw: RawControl): ReadonlyMap<string, Route> {
  const describe = () => ({
    now: state.clock.now(),
    today: state.clock.today(),
    behaviour: state.behaviour(),
    faults: state.faults.waiting(),
    tokens: {
      admin: word(state.tokens.isRevoked('admin')),
      limited: word(state.tokens.isRevoked('limited')),
    },
    requests: state.requests.list().length,
    raw: raw.summary(),
  })
  /** Changes something and answers with the state that it left. */
  const change =
    <S extends v.GenericSchema>(schema: S, apply: (input: v.InferOutput<S>) => void): Route =>
    (body) => {
      apply(v.parse(schema, body))
      return describe()
    }
  return new Map<string, Route>([
    ['GET /state', describe],
    ['POST /behaviour', change(behaviourChange, (input) => state.behave(changed(state.behaviour(), input)))],
    ['POST /faults', change(faultSchema, state.faults.add)],
    ['DELETE /faults', () => (state.faults.clear(), describe())],
    ['POST /clock', change(clockChange, (input) => state.clock.advance(input.advance))],
    [
      'POST /tokens',
      change(tokenChange, (input) => {
        if ('limit' in input) state.tokens.limit(input.limit)
        else if ('revoke' in input) state.tokens.revoke(input.revoke)
        else state.tokens.restore(input.restore)
      }),
    ],
    ['POST /raw', change(rawChange, ({ next }) => raw.endNext(next === 'fail' ? 'failed' : 'timed_out'))],
    [
      'POST /days/restate',
      change(restatement, ({ days }) => {
        const restated = [...new Set([...state.behaviour().restated, ...days])].sort()
        state.behave({ ...state.behaviour(), restated })
      }),
    ],
    ['GET /requests', () => ({ requests: state.requests.list() })],
    ['DELETE /requests', () => (state.requests.clear(), describe())],
  ])
}

const word = (revoked: boolean) => (revoked ? 'revoked' : 'valid')
