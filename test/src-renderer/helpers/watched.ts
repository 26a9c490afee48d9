import { plainReport } from '#shared/views/address.ts'
import { addDays, day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import type {
  Alert,
  AlertId,
  AlertPreview,
  AlertState,
  Finding,
  FindingId,
  Mute,
  MuteId,
} from '#shared/watch/alerts.ts'
import type { ReportAddress } from '#shared/views/view-address.ts'
import { isStanding, weekdays } from '#shared/watch/alerts.ts'
import { noteView } from '#shared/watch/notes.ts'
import { FakeDesk, account, good } from './fake-desk.ts'

const sources: ReportAddress = { ...plainReport, family: 'script', dimension: 'sources' }
export const bySource = noteView(sources)

const uuid = (start: string, number: number) =>
  `${start.repeat(8)}-2222-4222-8222-${String(number).padStart(12, '0')}`

export const alert = (number: number, changes: Partial<AlertState> = {}): AlertState => ({
  ...{ id: uuid('5', number) as AlertId, createdAt: Date.UTC(2026, 9, 1) as Instant },
  ...{ view: bySource, family: 'script', row: null, measure: 'bad-rate', condition: { kind: 'unusual' } },
  ...{ leastRequests: 0, leastChange: 0, weekdays, telling: 'at-once' },
  ...{ judgedUpTo: day('2026-11-19'), storedDays: 90, notJudged: null },
  ...changes,
})

/** A finding of a source that got worse on November 18, as found on the morning of the 20th. */
export const finding = (number: number, changes: Partial<Finding> = {}): Finding => ({
  ...{ id: uuid('6', number) as FindingId, account: account.id, alert: alert(1).id },
  ...{ view: bySource, family: 'script', measure: 'bad-rate', condition: 'unusual' },
  ...{
    row: { key: `text source-${number}`, text: `source-${number}` },
    rows: [],
    isShared: false,
    rule: null,
  },
  ...{ isStopped: false, from: day('2026-11-18'), day: day('2026-11-19'), usual: 5.1, now: 12.4, z: 8 },
  ...{ state: 'standing', to: null, settled: null, foundAt: Date.UTC(2026, 10, 20, 5) as Instant },
  ...{ seen: false, dismissed: null, mutedUntil: null },
  ...changes,
})

/** Fifty days of a steady rate that is outside its band on the last two. */
export const band = Array.from({ length: 50 }, (_, index) => ({
  ...{ day: addDays(day('2026-10-01'), index), usual: 5, low: 4, high: 6 },
  value: index < 48 ? 5 : 12.4,
}))

export const preview: AlertPreview = {
  ...{
    mornings: 57,
    storedDays: 90,
    told: 1,
    band,
    bandLabel: 'newsletter',
    bandRule: null,
    noticeable: 1.5,
  },
  tellings: [
    {
      day: day('2026-11-19'),
      from: day('2026-11-18'),
      label: 'newsletter',
      rows: 1,
      rule: null,
      usual: 5.1,
      now: 12.4,
    },
  ],
}

/** A desk that keeps alerts, findings and mutes, as the main process does. */
export function deskWithFindings(
  given: readonly Finding[],
  alerts: readonly AlertState[] = [alert(1)],
  desk = new FakeDesk(),
) {
  let findings = given
  let kept = alerts
  let mutes: readonly Mute[] = []
  const change = (ids: readonly string[], changes: Partial<Finding>) => {
    findings = findings.map((each) => (ids.includes(each.id) ? { ...each, ...changes } : each))
    desk.emit('findings/changed', { account: account.id })
    return good(null)
  }
  const changeAlerts = (next: readonly AlertState[]) => {
    kept = next
    desk.emit('alerts/changed', { account: account.id })
  }
  const isFresh = ({ seen, dismissed, mutedUntil }: Finding) =>
    !seen && dismissed === null && mutedUntil === null
  desk
    .answer('findings/list', ({ others, ids }) => {
      const isWanted = (each: Finding) =>
        isStanding(each) || (!each.seen && each.dismissed === null) || ids.includes(each.id)
      const rest = new Set(findings.filter((each) => !isWanted(each)).slice(others))
      return good({
        findings: findings.filter((each) => !rest.has(each)),
        ...{ more: rest.size, fresh: findings.filter(isFresh).length, falseAlarms: { wrong: 2, judged: 31 } },
      })
    })
    .answer('findings/since', () => good(findings))
    .answer('findings/fresh', () => good({ count: findings.filter(isFresh).length, newest: null }))
    .answer('findings/see', ({ ids }) => change(ids, { seen: true }))
    .answer('findings/dismiss', ({ id, reason }) => change([id], { dismissed: reason }))
    .answer('mutes/list', () => good(mutes))
    .answer('mutes/add', ({ subject, until }) => {
      const mute = { id: uuid('7', 1) as MuteId, subject, until }
      mutes = [mute]
      change(
        findings.map(({ id }) => id),
        { mutedUntil: until },
      )
      return good(mute)
    })
    .answer('mutes/remove', () => {
      mutes = []
      return change(
        findings.map(({ id }) => id),
        { mutedUntil: null },
      )
    })
    .answer('alerts/list', () => good(kept))
    .answer('alerts/preview', () => good(preview))
    .answer('alerts/add', ({ entry }) => {
      const added: Alert = { ...entry, id: uuid('5', 90 + kept.length) as AlertId, createdAt: 0 as Instant }
      changeAlerts([...kept, { ...added, judgedUpTo: null, storedDays: 90, notJudged: null }])
      return good(added)
    })
    .answer('alerts/change', ({ id, entry }) => {
      changeAlerts(kept.map((each) => (each.id === id ? { ...each, ...entry } : each)))
      return good({ ...entry, id, createdAt: 0 as Instant })
    })
    .answer('alerts/remove', ({ id }) => {
      const removed = kept.find((each) => each.id === id) ?? alert(1)
      changeAlerts(kept.filter((each) => each.id !== id))
      const { judgedUpTo: _judged, storedDays: _stored, notJudged: _not, ...plain } = removed
      return good(plain)
    })
  return { desk, findings: () => findings, alerts: () => kept }
}
