import { DeskFailure } from '../src-shared/desk/desk-failure.ts'
import type { Handlers } from './bridge/handlers.ts'

type RawHandlers = Pick<Handlers, Extract<keyof Handlers, `raw/${string}` | `downloads/${string}`>>

const notYet = (): never => {
  throw new DeskFailure({ kind: 'internal', message: 'Raw reports are not built yet.' })
}

/** Which room answers which call about raw reports. */
export const rawHandlers = (): RawHandlers => ({
  'raw/list': notYet,
  'raw/report': notYet,
  'raw/cancel': notYet,
  'raw/remove': notYet,
  'raw/undo-remove': notYet,
  'raw/request': notYet,
  'raw/queue': notYet,
  'raw/order-queue': notYet,
  'raw/drop-request': notYet,
  'raw/send-again': notYet,
  'raw/last-columns': notYet,
  'raw/templates': notYet,
  'raw/save-template': notYet,
  'raw/remove-template': notYet,
  'raw/schedules': notYet,
  'raw/save-schedule': notYet,
  'raw/remove-schedule': notYet,
  'downloads/list': notYet,
  'downloads/start': notYet,
  'downloads/pause': notYet,
  'downloads/resume': notYet,
  'downloads/cancel': notYet,
  'downloads/order': notYet,
  'downloads/show': notYet,
  'downloads/open': notYet,
})
