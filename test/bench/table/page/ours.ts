import type {} from 'svelte'
/// <reference types="vite/client" />
import { flushSync, mount } from 'svelte'
import '#renderer/theme/theme.css'
import { account, query } from '../app/answers.ts'
import Ours from './Ours.svelte'
import type { Contender } from './contender.ts'
import { textsOf } from './contender.ts'

/** Our table as the product fills it: it is given no rows, and asks the main process for those that are looked at. */
export const contender: Contender = {
  give: async (place) => {
    const outcome = await window.desk.call('reports/ask', { account, query, force: false })
    if (!outcome.ok || outcome.value.kind !== 'table') throw new Error('The first rows were not answered')
    mount(Ours, { target: place, props: { first: outcome.value } })
    flushSync()
  },
  shown: () => textsOf('tbody tr:not([hidden]) th'),
  scroller: () => document.querySelector('.grid-frame'),
  row: 'tbody tr',
}
