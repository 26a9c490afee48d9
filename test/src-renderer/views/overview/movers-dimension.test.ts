import { screen, waitFor } from '@testing-library/svelte'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Dimension } from '#shared/api/dimensions.ts'
import { FakeDesk, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { explainAnswer, explainedAs, explanationOf } from '#test/src-renderer/helpers/explanations.ts'
import { show, standAt } from '#test/src-renderer/helpers/show.ts'

beforeAll(() => import('#renderer/views/overview/MoversSection.svelte'))
beforeEach(() => standAt('2026-11-20T10:00:00Z'))

const VIEW = '#/overview?compare=period-before'
const alone = explanationOf({ others: { values: 0, total: 0, mix: 0, rate: 0 } })

/** A desk that has these dimensions stored. */
const deskWith = (...stored: readonly (Dimension | 'one source')[]) =>
  new FakeDesk().answer('reports/explain', (request) =>
    good(
      explainAnswer(request, {
        dimensions: stored.map((each) =>
          each === 'one source' ? explainedAs('sources', alone) : explainedAs(each),
        ),
      }),
    ),
  )

describe('what moved most begins', () => {
  it.each([
    ['with sources where they are stored', deskWith('networks', 'sources'), VIEW, 'source'],
    ['with instances where no sources are', deskWith('networks'), VIEW, 'instance'],
    ['with no single source', deskWith('one source', 'networks'), VIEW, 'instance'],
    ['with what is stored of an instance', deskWith('networks'), `${VIEW}&instance=102`, 'network'],
    ['with sources of an instance where nothing is', deskWith(), `${VIEW}&instance=102`, 'source'],
    ['with what the address says', deskWith('sources'), `${VIEW}&movers=sessions`, 'instance'],
  ])('%s', async (_, desk, view, one) => {
    show(desk, view)
    await screen.findByRole('heading', { name: `Script: Bad rate by ${one}` })
    expect(window.location.hash).toBe(view)
  })
})

it('is led to from the head of each family', async () => {
  show(new FakeDesk(), '#/overview')
  const [link] = await screen.findAllByRole('link', { name: 'Biggest changes' })
  link?.click()
  await waitFor(() => expect(window.location.hash).toBe(VIEW))
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Biggest changes'))
})
