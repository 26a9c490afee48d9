import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { CaseId, CaseScope } from '#shared/cases/case.ts'
import { isWithin, scopedStem, scopeKey, scopeLine } from '#shared/cases/scope.ts'
import { sectionsOf } from '#shared/cases/sections.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import { day, dayAt, daysOf } from '#shared/values/day.ts'
import { bytesOf } from '#shared/values/text.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { checkAsyncProperty, checkProperty } from '#test/helpers/properties.ts'
import { account } from '../archives/open-rows.ts'
import { openService } from './made-service.ts'
import type { MadeEvent } from './made-service.ts'

const sites = ['7', '8', '9']
const days = ['2026-11-10', '2026-11-11', '2026-11-12'].map(day)
const event: fc.Arbitrary<MadeEvent> = fc.record({
  instance: fc.constantFrom(...sites),
  source: fc.constantFrom('news', 'shop'),
  at: fc.constantFrom(...days).map((each) => `${each}T10:00:00Z`),
  suspect: fc.boolean(),
})
const range = fc.tuple(fc.nat(2), fc.nat(2)).map(([a, b]) => ({
  start: days[Math.min(a, b)] ?? day('2026-11-10'),
  end: days[Math.max(a, b)] ?? day('2026-11-10'),
}))
const instances: fc.Arbitrary<CaseScope['instances']> = fc.oneof(
  fc.constant({ kind: 'all' as const }),
  fc.subarray(sites, { minLength: 1 }).map((ids) => ({
    kind: 'some' as const,
    list: ids.map((id) => ({ id: id as InstanceId, name: `Site ${id}` })),
  })),
)
const scopeOf: fc.Arbitrary<CaseScope> = fc.record({
  family: fc.constant('direct' as const),
  instances,
  source: fc.constantFrom('news', 'shop'),
  campaign: fc.constant(null),
  range,
  zone: fc.constant('UTC'),
})
type Step =
  | { readonly kind: 'begin'; readonly scope: CaseScope; readonly archives: readonly number[] }
  | { readonly kind: 'make' | 'note' | 'sent'; readonly which: number }
  | { readonly kind: 'remove-rows'; readonly archive: number }
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('begin' as const),
    scope: scopeOf,
    archives: fc.subarray([0, 1, 2]),
  }),
  fc.record({ kind: fc.constantFrom('make' as const, 'note' as const, 'sent' as const), which: fc.nat(3) }),
  fc.record({ kind: fc.constant('remove-rows' as const), archive: fc.nat(2) }),
)
const report = fc.record({ instance: fc.constantFrom(...sites), range })

it('never changes, and counts its own figures and rows alone, in any order of calls and with any archives', async () => {
  await checkAsyncProperty(
    'scopes of cases',
    fc.asyncProperty(
      fc.array(event, { minLength: 1, maxLength: 20 }),
      fc.array(report, { minLength: 3, maxLength: 3 }),
      fc.array(step, { minLength: 2, maxLength: 8 }),
      async (events, reports, steps) => {
        const { rows, cases, importArchive } = await openService(events)
        const files: RowsFileId[] = []
        for (const [nth, each] of reports.entries()) files.push(await importArchive(`r${nth}`, each))
        const there = new Set(files)
        const begun: { readonly id: CaseId; readonly scope: CaseScope }[] = []
        const within = (scope: CaseScope) =>
          events.filter(
            ({ instance, source, at }) =>
              isWithin(scope, instance as InstanceId) &&
              source === scope.source &&
              daysOf(scope.range).includes(dayAt(Date.parse(at), 'UTC')),
          )
        for (const each of steps) {
          if (each.kind === 'remove-rows') {
            const file = files[each.archive]
            if (file === undefined || !there.delete(file)) continue
            await rows.discard({ account: account.id, file, what: 'rows' })
            continue
          }
          if (each.kind === 'begin') {
            const entry = {
              ...{ name: `Case ${begun.length}`, about: 'source' as const, subject: 'news', notes: '' },
              ...{ scope: each.scope, files: files.filter((_, nth) => each.archives.includes(nth)) },
            }
            const { id } = await cases.begin({ account: account.id, entry, fitting: false })
            begun.push({ id, scope: each.scope })
            continue
          }
          const one = begun[each.which % Math.max(1, begun.length)]
          if (!one) continue
          const of = { account: account.id, id: one.id }
          if (each.kind === 'note') await cases.change({ ...of, name: 'Other', notes: 'Noted' })
          if (each.kind === 'sent') await cases.sent({ ...of, sent: true })
          if (each.kind === 'make') {
            const { made, before, entry } = await cases.make(of)
            const found = within(one.scope)
            const figure = made?.now?.figures.find(({ header }) => header === 'Requests')
            expect(figure?.value).toBe(found.length)
            // Rows of the archives that are there, of its instances and days: reports of one instance overlap, and count once.
            const covered = new Set(
              entry.files.flatMap((file) => {
                const asked = reports[files.indexOf(file)]
                if (!asked || !there.has(file)) return []
                return daysOf(asked.range).map((each) => `${asked.instance} ${each}`)
              }),
            )
            const rowsOf = found.filter(({ instance, at }) => covered.has(`${instance} ${at.slice(0, 10)}`))
            expect(made?.rows).toEqual({
              rows: rowsOf.length,
              bad:
                rowsOf.length === 0 && made?.rows.bad === null
                  ? null
                  : rowsOf.filter(({ suspect }) => suspect).length,
            })
            expect(made?.covers === 'whole').toBe(
              made?.archives.some(({ left }) => left === null) === true &&
                rowsOf.length === found.length &&
                made.lacks.length === 0,
            )
            if (before) expect(before.scope && scopeKey(before.scope)).toBe(scopeKey(one.scope))
          }
        }
        for (const { id, scope } of begun)
          expect((await cases.read({ account: account.id, id })).entry.scope).toEqual(scope)
      },
    ),
    12,
  )
}, 120_000)

it('stands whole in a file name, whatever the case is called', () => {
  const name = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.constant('テスト'.repeat(60)))
  checkProperty(
    'file names of cases',
    fc.property(name, scopeOf, (about, scope) => {
      const stem = scopedStem(about, scope)
      expect(stem.endsWith(scope.range.end)).toBe(true)
      expect(stem).toContain('Direct, ')
      expect([stem.length <= 96, bytesOf(stem) <= 180]).toEqual([true, true])
    }),
    200,
  )
})

it('is told by its line: no two scopes have one', () => {
  checkProperty(
    'lines of scopes',
    fc.property(scopeOf, scopeOf, (one, other) => {
      expect(scopeLine(one) === scopeLine(other)).toBe(scopeKey(one) === scopeKey(other))
    }),
    200,
  )
})

it('is in the first section of every case', async () => {
  const { cases } = await openService([
    { instance: '7', source: 'news', at: '2026-11-10T10:00:00Z', suspect: true },
  ])
  const [scope] = fc.sample(scopeOf, { numRuns: 1, seed: 7 })
  if (!scope) throw new Error('No scope')
  const entry = { name: 'Case', about: 'source' as const, subject: 'news', notes: '', scope, files: [] }
  const { id } = await cases.begin({ account: account.id, entry, fitting: false })
  const { made } = await cases.make({ account: account.id, id })
  if (!made) throw new Error('Not made')
  const plain = { count: String, share: String, moment: String, days: String }
  const [first, second] = sectionsOf(
    { account: 'Kestrel', entry, made, before: null, rules: new Map() },
    plain,
  )
  const facts = first?.body.kind === 'facts' ? new Map(first.body.pairs) : new Map<string, string>()
  expect([...facts.keys()]).toEqual([
    ...['Report family', 'Instances', 'Source', 'Campaign', 'Days', 'Time zone', 'Other filters'],
    ...['Account', 'Service', 'Updated'],
  ])
  expect(second?.title).toBe('What is missing')
})
