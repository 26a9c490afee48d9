import type { Instant } from '#shared/values/ids.ts'
import type { DownloadState } from '#shared/downloads/download.ts'
import { FakeDesk, account, bad, failed, good, otherAccount } from '../helpers/fake-desk.ts'
import { emptyList } from '../helpers/fake-raw.ts'
import {
  bytes,
  download,
  everyState,
  inProgress,
  listOf,
  listed,
  recordOf,
  request,
  schedule,
  template,
} from '../helpers/raw-reports.ts'

const never = new Promise<never>(() => undefined)
const offline = { kind: 'offline' as const, message: 'The service cannot be reached.' }

const withRecords = (desk: FakeDesk) =>
  desk.answer('raw/report', ({ report }) => {
    const found = everyState().find(({ row }) => row.id === report) ?? everyState()[0]
    return found
      ? good(recordOf(found, { unknown: { priority: 'normal', queue: { place: 2 } } }))
      : failed('not-found')
  })

const raw = () => withRecords(new FakeDesk()).answer('raw/list', () => good(listOf(everyState())))

const templates = (desk: FakeDesk) => {
  const weekly = template(300)
  const monthly = template(301, { name: 'Monthly requests', period: 'last-month', save: false })
  return desk
    .answer('raw/templates', () => good([weekly, monthly]))
    .answer('raw/schedules', () =>
      good([schedule(400, weekly), schedule(401, weekly, { when: { kind: 'day', hour: 7 }, paused: true })]),
    )
}

const everyDownload: readonly DownloadState[] = [
  { kind: 'running', ...bytes(12_100_000), speed: 3_200_000 },
  { kind: 'checking' },
  { kind: 'unpacking' },
  { kind: 'waiting' },
  { kind: 'waiting' },
  { kind: 'paused', ...bytes(20_000_000), why: 'person' },
  { kind: 'paused', ...bytes(31_000_000), why: 'disk' },
  {
    kind: 'failed',
    failure: {
      kind: 'malformed',
      message: 'The file is not the one that the service describes.',
      said: 'Gone',
    },
  },
  { kind: 'saved', time: (Date.now() - 3_600_000) as Instant },
  { kind: 'missing' },
]

/** What raw reports and downloads look like. With `#/raw`, `#/raw?report=r-104`, `#/raw?form=new`, `#/downloads`. */
export const rawStates: Readonly<Record<string, () => FakeDesk>> = {
  raw: () => templates(raw()),
  'raw-calm': () =>
    templates(new FakeDesk()).answer('raw/list', () =>
      good(
        listOf(
          [
            inProgress('r-1', 4),
            ...Array.from({ length: 19 }, (_, index) => listed(`r-${index + 2}`, {}, { saved: 'saved' })),
          ],
          { results: 212, pages: 11 },
        ),
      ),
    ),
  'raw-first': () =>
    new FakeDesk().answer('raw/list', () => good({ ...emptyList, fetchedAt: Date.now() as Instant })),
  'raw-loading': () => new FakeDesk().answer('raw/list', () => never),
  'raw-offline': () =>
    new FakeDesk({ connection: { kind: 'offline' } })
      .answer('raw/list', () =>
        good(listOf(everyState(), { fetchedAt: (Date.now() - 26 * 3_600_000) as Instant, failure: offline })),
      )
      .answer('raw/queue', () =>
        good({ requests: [request(1, { kind: 'waiting', for: 'connection' })], limits: null }),
      ),
  'raw-never': () =>
    new FakeDesk({ connection: { kind: 'offline' } }).answer('raw/list', () =>
      good({ ...emptyList, failure: offline }),
    ),
  'raw-trouble': () =>
    raw().answer('raw/list', () =>
      good(
        listOf(everyState(), {
          failure: { kind: 'server-trouble', message: 'The service answered 503.', said: 'Try again later' },
        }),
      ),
    ),
  'raw-refused': () =>
    new FakeDesk({ connection: { kind: 'refused' } }).answer('raw/list', () => failed('refused-token')),
  'raw-queue': () =>
    templates(raw())
      .answer('raw/queue', () =>
        good({
          requests: [
            request(1, { kind: 'sending' }, { name: 'On its way' }),
            request(2, { kind: 'waiting', for: 'concurrent' }, { name: 'Weekly bad traffic' }),
            request(3, { kind: 'waiting', for: 'minutes' }, { type: 'direct' }),
            request(
              4,
              { kind: 'unclear', since: (Date.now() - 240_000) as Instant },
              { name: 'Lost on the way' },
            ),
            request(
              5,
              {
                kind: 'refused',
                failure: {
                  kind: 'bad-request',
                  message: 'The service rejected this request.',
                  said: 'start: too old',
                },
                fields: { start: 'too old' },
              },
              { name: 'Too old' },
            ),
          ],
          limits: null,
        }),
      )
      .answer('raw/list', () =>
        good(
          listOf(everyState(), {
            usage: {
              minutes_used: 146,
              by_user: [
                { user: 'a.lind', minutes: 100 },
                { user: 'm.bauer', minutes: 46 },
              ],
            },
          }),
        ),
      ),
  'raw-many': () =>
    raw().answer('raw/list', ({ query }) =>
      good(
        listOf(
          Array.from({ length: query.limit }, (_, index) => listed(`r-${index}`)),
          { results: 3000, pages: Math.ceil(3000 / query.limit) },
        ),
      ),
    ),
  'raw-form-refused': () =>
    templates(raw()).answer('raw/request', () =>
      good({
        kind: 'refused',
        failure: {
          kind: 'bad-request',
          message: 'The service rejected this request.',
          said: 'This request breaks the rules',
        },
        fields: { name: 'A name like this exists', standard: 'Too many columns for this instance' },
      }),
    ),
  downloads: () =>
    new FakeDesk({ accounts: [account, otherAccount] }).answer('downloads/list', () =>
      good(everyDownload.map((state, index) => download(index + 1, account.id, state))),
    ),
  'downloads-failed': () =>
    new FakeDesk().answer('downloads/list', () => bad({ kind: 'disk', message: 'The disk refuses.' })),
}
