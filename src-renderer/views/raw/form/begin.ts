import type { Outcome } from '#shared/api/failure.ts'
import type { RawType } from '#shared/api/raw-columns.ts'
import { readRawDraft } from '#shared/bridge/schemas.ts'
import { draftFrom, draftOfView, typeOfView } from '#shared/raw/prefill.ts'
import type {
  RawLastColumns,
  RawRequestState,
  RawTemplateId,
  RawColumnSet,
  RawTemplate,
} from '#shared/raw/requests.ts'
import type { RawRules, RawDraft } from '#shared/raw/draft.ts'
import { columnWords } from '#shared/raw/draft.ts'
import { rawRangeOf } from '#shared/raw/requests.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { readAddress } from '#shared/views/address.ts'
import type { RawForm } from '#shared/views/view-address.ts'
import type { WindowApp } from '../../../stores/app.ts'
import { newDraft } from '../../../stores/raw-draft.svelte.ts'

type Refused = Omit<Extract<RawRequestState, { kind: 'refused' }>, 'kind'>

/** Initial state of a form. */
export type Begun = {
  readonly draft: RawDraft
  readonly last: RawLastColumns
  readonly template: RawTemplateId | null
  /** Whether a draft without an instance is for every instance, because it comes from a view of all. */
  readonly isForEvery: boolean
  /** Parts of a report or view that could not be copied, one sentence each. */
  readonly left: readonly string[]
  /** Refusal of the request that is being changed. Null if the request was not refused. */
  readonly refused: Refused | null
  /** Whether the request that is being changed was sent with an unknown outcome. */
  readonly isUnconfirmed: boolean
  /** Draft that was entered earlier and not sent. Null if there is none. */
  readonly unfinished: RawDraft | null
}

const notFound = (words: string): Outcome<Begun> => ({
  ok: false,
  failure: { kind: 'not-found', message: words },
})

/** Loads the initial state of a form: empty, or from a report, view, template or queued request. */
export async function beginForm(
  { bridge, navigation, drafts }: Pick<WindowApp, 'bridge' | 'navigation' | 'drafts'>,
  account: AccountId,
  form: RawForm,
  rules: RawRules,
): Promise<Outcome<Begun>> {
  const remembered = await bridge.call('raw/last-columns', { account })
  // If the last columns cannot be loaded, the form starts with every column.
  const last = remembered.ok ? remembered.value : {}
  const begun = (draft: RawDraft, more: Partial<Begun> = {}): Outcome<Begun> => ({
    ok: true,
    value: {
      ...{ draft, last, template: null, isForEvery: false, left: [], refused: null, isUnconfirmed: false },
      unfinished: readRawDraft(drafts.get(account, 'raw', form)),
      ...more,
    },
  })
  switch (form.kind) {
    case 'nothing':
      return begun(newDraft(rules.today, last, navigation.overview.instance))
    case 'report': {
      const outcome = await bridge.call('raw/report', { account, report: form.report, force: false })
      if (!outcome.ok) return outcome
      const { draft, left } = draftFrom(outcome.value.report, rules)
      return begun(draft, { left })
    }
    case 'view': {
      const view = readAddress(form.view)
      if (view.kind !== 'overview' && view.kind !== 'reports')
        return notFound('There are no raw rows for this view.')
      const base = newDraft(rules.today, last, view.instance, typeOfView(view, form.header))
      const { draft, left } = draftOfView(view, form.header, base, rules.today)
      return begun(draft, { left, isForEvery: true })
    }
    case 'template': {
      const outcome = await bridge.call('raw/templates', { account })
      if (!outcome.ok) return outcome
      const template = outcome.value.find(({ id }) => id === form.template)
      if (!template) return notFound('This template no longer exists.')
      const days = rawRangeOf(template.period, rules.today)
      return begun({ ...template.draft, ...days }, { template: template.id })
    }
    case 'request': {
      const outcome = await bridge.call('raw/queue', { account })
      if (!outcome.ok) return outcome
      const request = outcome.value.requests.find(({ id }) => id === form.request)
      if (!request) return notFound('This request has left the queue.')
      const { draft, template, state } = request
      const refused = state.kind === 'refused' ? state : null
      return begun(draft, { template, refused, isUnconfirmed: state.kind === 'unclear' })
    }
  }
}

/** A column set and its label. */
export type NamedSet = Pick<RawColumnSet, 'standard' | 'additional'> & { readonly words: string }

const maxNamed = 2

/** Names the first columns of a set and counts the others. */
function contentWords({ standard, additional }: Pick<RawColumnSet, 'standard' | 'additional'>): string {
  const all = [...standard, ...additional.map(String)].map(columnWords)
  const more = all.length - maxNamed
  return more > 0 ? `${all.slice(0, maxNamed).join(', ')} and ${more} more` : all.join(', ')
}

/** Returns the column sets offered for a type: of the last requests, then of the templates. */
export function columnSets(
  type: RawType,
  last: RawLastColumns,
  templates: readonly RawTemplate[],
): readonly NamedSet[] {
  const lately = (last[type] ?? []).map(({ name, ...set }, place) => {
    const label = name === '' ? 'Before' : `“${name}”`
    return { ...set, words: `${place === 0 ? 'Last used' : label}: ${contentWords(set)}` }
  })
  const stored = templates
    .filter(({ draft }) => draft.type === type)
    .map(({ name, draft: { standard, additional } }) => {
      const set = { standard, additional }
      return { ...set, words: `Template “${name}”: ${contentWords(set)}` }
    })
  return [...lately, ...stored]
}

/** Whether exactly these columns are chosen. */
export function isChosen(set: NamedSet, chosen: Pick<RawColumnSet, 'standard' | 'additional'>): boolean {
  const same = <T>(some: readonly T[], others: readonly T[]) =>
    some.length === others.length && some.every((item) => others.includes(item))
  return same(set.standard, chosen.standard) && same(set.additional, chosen.additional)
}
