import { draftFrom, draftOfView, typeOfView } from '#shared/raw/prefill.ts'
import type { RawLastColumns, RawRequestState, RawTemplateId } from '#shared/raw/requests.ts'
import type { RawRules, RawDraft } from '#shared/raw/draft.ts'
import { rawRangeOf } from '#shared/raw/requests.ts'
import type { Outcome } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { readRawDraft } from '#shared/bridge/schemas.ts'
import { readAddress } from '#shared/views/address.ts'
import type { RawForm } from '#shared/views/view-address.ts'
import type { App } from '#renderer/stores/app.ts'
import { newDraft } from '#renderer/stores/raw-draft.svelte.ts'

type Refused = Omit<Extract<RawRequestState, { kind: 'refused' }>, 'kind'>

/** What a form begins with. */
export type Begun = {
  readonly draft: RawDraft
  readonly last: RawLastColumns
  readonly template: RawTemplateId | null
  /** What of a report could not be taken over, a sentence each. */
  readonly left: readonly string[]
  /** What the service did not take of the request that is changed. */
  readonly refused: Refused | null
  /** Whether the request that is changed was sent, and nobody knows what became of it. */
  readonly unclear: boolean
  /** What was filled in before, and not sent. */
  readonly unfinished: RawDraft | null
}

const gone = (words: string): Outcome<Begun> => ({
  ok: false,
  failure: { kind: 'not-found', message: words },
})

/** Gathers what a form begins with: nothing, a report, a template, or a request that waits. */
export async function beginForm(
  { bridge, navigation, drafts }: Pick<App, 'bridge' | 'navigation' | 'drafts'>,
  account: AccountId,
  form: RawForm,
  rules: RawRules,
): Promise<Outcome<Begun>> {
  const remembered = await bridge.call('raw/last-columns', { account })
  // Without what was asked for last, a form begins with every column.
  const last = remembered.ok ? remembered.value : {}
  const begun = (draft: RawDraft, more: Partial<Begun> = {}): Outcome<Begun> => ({
    ok: true,
    value: {
      ...{ draft, last, template: null, left: [], refused: null, unclear: false },
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
      if (view.kind !== 'overview' && view.kind !== 'reports') return gone('This view has no raw rows.')
      const base = newDraft(rules.today, last, view.instance, typeOfView(view, form.header))
      const { draft, left } = draftOfView(view, form.header, base, rules.today)
      return begun(draft, { left })
    }
    case 'template': {
      const outcome = await bridge.call('raw/templates', { account })
      if (!outcome.ok) return outcome
      const template = outcome.value.find(({ id }) => id === form.template)
      if (!template) return gone('This template is not there any more.')
      const days = rawRangeOf(template.period, rules.today)
      return begun({ ...template.draft, ...days }, { template: template.id })
    }
    case 'request': {
      const outcome = await bridge.call('raw/queue', { account })
      if (!outcome.ok) return outcome
      const request = outcome.value.requests.find(({ id }) => id === form.request)
      if (!request) return gone('This request does not wait any more.')
      const { draft, template, state } = request
      const refused = state.kind === 'refused' ? state : null
      return begun(draft, { template, refused, unclear: state.kind === 'unclear' })
    }
  }
}
