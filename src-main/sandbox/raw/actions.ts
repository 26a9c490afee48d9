import { argumentsOf, encoded, Refusal } from '../contracts/handler.ts'
import type { Handler, SandboxRequest } from '../contracts/handler.ts'
import type { RawRows } from '../contracts/events.ts'
import type { ReportBook } from './book.ts'
import { checkOrder } from './check-order.ts'
import type { Failures } from './check-order.ts'
import { minutesLeft } from './list.ts'
import type { NamedInstance } from './order.ts'
import { lifeAt, minutesFor } from './report.ts'
import type { Outcome } from './report.ts'
import { rowCounter } from './rows.ts'

/** What the handlers that change something need. */
export type RawActions = {
  readonly book: ReportBook
  readonly rows: RawRows
  readonly instances: readonly NamedInstance[]
  /** How the report requested next ends; asking uses it up. */
  readonly takeOutcome: () => Outcome
}

/** Answers raw/request: the new report's id, or what is wrong by parameter (`processing` where limits are reached). */
export function rawRequest({ book, rows, instances, takeOutcome }: RawActions): Handler {
  return (request) => {
    const { behaviour, now } = request
    const checked = checkOrder(argumentsOf('raw/request', request), request, instances)
    if (checked.kind === 'refused') return refused(request, 'The report was not requested', checked.fail)
    const { order } = checked
    const source = rows.restated(behaviour.restated)
    const counted = rowCounter(order, source)
    const minutes = minutesFor(counted())
    const full = limitReached(request, book, minutes)
    if (full !== null) return refused(request, full, { processing: full })
    const ends = now + minutes * behaviour.raw.secondsPerMinute * 1000
    const report = book.add(order, {
      source,
      rows: counted,
      requested: now,
      ends,
      outcome: takeOutcome(),
      cancelled: null,
    })
    return { ...done('The report was requested', { [report.id]: 'Requested' }), id: report.id }
  }
}

function limitReached({ behaviour, now, today }: SandboxRequest, book: ReportBook, minutes: number) {
  const { atOnce, minutes: total } = behaviour.raw
  if (book.inProgress(now) >= atOnce)
    return `Reports in progress at one time: ${atOnce}. Wait for one to finish`
  const left = minutesLeft(book, today, total)
  return minutes > left ? `The report takes ${minutes} processing minutes, and ${left} are left today` : null
}

/** Answers raw/cancel: only what is in progress can be cancelled. */
export function rawCancel({ book }: RawActions): Handler {
  return (request) => {
    const { raw } = argumentsOf('raw/cancel', request)
    const report = book.find(raw, request.rights, request.now)
    if (!report) return refused(request, 'The report was not cancelled', { [raw]: 'There is no such report' })
    if (lifeAt(report, request.now).kind !== 'in_progress') {
      return refused(request, 'The report was not cancelled', { [raw]: 'The report is not in progress' })
    }
    book.cancel(report, request.now)
    return done('The report was cancelled', { [raw]: 'Cancelled' })
  }
}

/** Answers raw/remove: each id passes or fails by itself; it is a success where all passed. */
export function rawRemove({ book }: RawActions): Handler {
  return (request) => {
    const { raw } = argumentsOf('raw/remove', request)
    const ids = [...new Set(typeof raw === 'string' ? [raw] : raw)]
    const pass: Record<string, string> = {}
    const fail: Record<string, string> = {}
    for (const id of ids) {
      const report = book.find(id, request.rights, request.now)
      if (report) {
        book.remove(report)
        pass[id] = 'Removed'
      } else {
        fail[id] = 'There is no such report'
      }
    }
    const failed = Object.keys(fail).length
    if (failed === 0 && ids.length > 0) return done(`Reports removed: ${ids.length}`, pass)
    return refused(request, `Reports not removed: ${failed} of ${ids.length}`, fail, pass)
  }
}

function done(message: string, pass: Readonly<Record<string, string>>) {
  return { success: true, message: encoded(message), feedback: { pass: allEncoded(pass), fail: {} } }
}

/**
 * A refusal as the behaviour says. Where part of it came about, it is never a bare 400: what passed has to be told.
 * @throws Refusal 400
 */
function refused(
  { behaviour }: SandboxRequest,
  message: string,
  fail: Failures,
  pass: Readonly<Record<string, string>> = {},
) {
  if (behaviour.raw.refusals === 'bad-request' && Object.keys(pass).length === 0) {
    const reasons = Object.entries(fail).map(([field, words]) => `${field}: ${words}`)
    throw new Refusal(400, [message, ...reasons].join('. '))
  }
  return {
    success: false,
    message: encoded(message),
    feedback: { pass: allEncoded(pass), fail: allEncoded(fail) },
  }
}

function allEncoded(words: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(words).map(([name, text]) => [name, encoded(text)]))
}
