import { mount, tick } from 'svelte'
import { soundFindings } from '#shared/cases/case.ts'
import { changedMeanwhile } from '#shared/texts/cases.ts'
import { todayIsOver } from '#shared/texts/schedules.ts'
import { scopeLine } from '#shared/cases/scope.ts'
import { noBrand } from '#shared/exports/order.ts'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { CaseId } from '#shared/cases/case.ts'
import type { DeskSettings } from '#shared/app/settings.ts'
import type { Outcome } from '#shared/api/failure.ts'
import { instantOf } from '#shared/values/ids.ts'
import { overviewQueryAt, plainOverview, readAddress } from '#shared/views/address.ts'
import type { PrintAddress, PrintOutcome } from '#shared/exports/paper.ts'
import { writeFormatsAs } from '#renderer/stores/format-tag.svelte.ts'
import { onlyDay } from '#renderer/components/chart/day-menu.ts'
import { caseFormats, days } from '#renderer/components/formats.ts'
import { loadPrinted } from './load.ts'
import Print from './Print.svelte'
import { ageWords } from './printed.ts'

/** Header and footer of each page. */
type Edges = Omit<Extract<PrintOutcome, { kind: 'printed' }>, 'kind'>

/** Number of frames after which a chart has adapted to the size of its container. */
const FRAMES = 3

/**
 * Renders an account's view for printing.
 * @returns resolves once figures, charts and fonts are rendered, or with the failure
 */
export async function print(
  target: HTMLElement,
  bridge: DeskBridge,
  address: PrintAddress,
): Promise<PrintOutcome> {
  const settings = await bridge.call('settings/read')
  if (settings.ok) writeFormatsAs(settings.value.formats)
  const view = readAddress(address.view)
  const page =
    view.kind === 'cases' && view.id !== null
      ? await mountCase(target, bridge, { ...address, id: view.id }, settings.ok ? settings.value : null)
      : view.kind === 'today'
        ? await mountToday(target, bridge, address)
        : await mountReport(target, bridge, address)
  if (!page.ok) return { kind: 'failed', failure: page.failure }
  document.documentElement.lang = 'en'
  document.documentElement.classList.add('printing')
  // Charts draw as soon as this module is loaded, so waiting for it waits for them.
  await import('#renderer/components/chart/draw.ts')
  await tick()
  await document.fonts.ready
  for (let frame = 0; frame < FRAMES; frame += 1) await nextFrame()
  return { kind: 'printed', ...page.value }
}

async function mountReport(
  target: HTMLElement,
  bridge: DeskBridge,
  address: PrintAddress,
): Promise<Outcome<Edges>> {
  const loaded = await loadPrinted(bridge, { ...address, whole: address.paper.whole }, Date.now())
  if (!loaded.ok) return loaded
  const { value: printed } = loaded
  const title = address.paper.title.trim() || printed.title
  const names = title.includes(printed.account) ? [title] : [title, printed.account]
  document.title = names.join(' – ')
  const brand = await bridge.call('settings/brand')
  const props = { printed, paper: address.paper, brand: brand.ok ? brand.value : noBrand }
  mount(Print, { target, props })
  const { range, zone, facts, sections } = printed
  const header = [...names.reverse(), ...facts.map(({ name, value }) => `${name}: ${value}`)].join(' · ')
  return { ok: true, value: { header, footer: [days(range), zone, ageWords(sections, zone)].join(' · ') } }
}

/** Renders an account's part of Today. Fails if no figures of yesterday are stored, or yesterday is not `day`. */
async function mountToday(
  target: HTMLElement,
  bridge: DeskBridge,
  { account, day }: Pick<PrintAddress, 'account' | 'day'>,
): Promise<Outcome<Edges>> {
  const [state, today] = await Promise.all([
    bridge.call('desk/state'),
    bridge.call('today/read', { since: null }),
  ])
  if (!state.ok) return state
  if (!today.ok) return today
  const named = state.value.accounts.find(({ id }) => id === account)
  const item = today.value.accounts.find((each) => each.account === account)
  if (!named || !item || item.figures.length === 0)
    return { ok: false, failure: { kind: 'invalid', message: 'No figures of yesterday are saved yet.' } }
  if (day !== null && item.day !== day)
    return { ok: false, failure: { kind: 'invalid', message: todayIsOver } }
  const range = { start: item.day, end: item.day }
  const overview = { ...plainOverview, period: onlyDay(item.day) }
  const stored = await Promise.all(
    item.figures.map(({ family }) => {
      const query = overviewQueryAt(overview, family, item.day)
      return bridge.call('reports/paired', { account, query, before: range })
    }),
  )
  const ages = stored.flatMap((answer) => (answer.ok ? (answer.value.fetchedAt ?? []) : []))
  const age =
    ages.length === 0 ? '' : `Updated ${caseFormats.moment(instantOf(Math.min(...ages)), named.dayZone)}`
  const brand = await bridge.call('settings/brand')
  const { default: PrintToday } = await import('../today/PrintToday.svelte')
  const { name, dayZone: zone } = named
  document.title = `Today – ${name}`
  mount(PrintToday, {
    target,
    props: { account: name, zone, item, age, brand: brand.ok ? brand.value : noBrand },
  })
  const footer = [days(range), zone, age].filter(Boolean).join(' · ')
  return { ok: true, value: { header: `${name} · Today`, footer } }
}

/**
 * Renders a case from its stored findings, so that the pages agree with the workbook.
 * Fails if the findings are not those of `madeAt`, from which the rest of the pack is made.
 */
async function mountCase(
  target: HTMLElement,
  bridge: DeskBridge,
  { account, madeAt, id }: Pick<PrintAddress, 'account' | 'madeAt'> & { readonly id: CaseId },
  settings: Pick<DeskSettings, 'ruleNames'> | null,
): Promise<Outcome<Edges>> {
  const [state, found] = await Promise.all([
    bridge.call('desk/state'),
    bridge.call('cases/of', { account, id }),
  ])
  if (!state.ok) return state
  if (!found.ok) return found
  const stored = found.value
  const made = soundFindings(stored)
  if (!made) {
    const message = 'The case has no figures yet. Update it first.'
    return { ok: false, failure: { kind: 'invalid', message } }
  }
  if (madeAt !== null && made.madeAt !== madeAt)
    return { ok: false, failure: { kind: 'invalid', message: changedMeanwhile } }
  const name = state.value.accounts.find((item) => item.id === account)?.name ?? ''
  const brand = await bridge.call('settings/brand')
  const { default: PrintCase } = await import('../cases/PrintCase.svelte')
  const named = settings?.ruleNames.filter((ruleName) => ruleName.account === account) ?? []
  const rules = new Map(named.map((ruleName) => [ruleName.code, ruleName.name]))
  document.title = `Case: ${stored.entry.name} – ${name}`
  mount(PrintCase, {
    target,
    props: { account: name, shown: stored, made, rules, brand: brand.ok ? brand.value : noBrand },
  })
  const { scope } = stored.entry
  const header = [name, `Case: ${stored.entry.name}`, scopeLine(scope, days)].join(' · ')
  return { ok: true, value: { header, footer: `Updated ${caseFormats.moment(made.madeAt, scope.zone)}` } }
}

const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve))
