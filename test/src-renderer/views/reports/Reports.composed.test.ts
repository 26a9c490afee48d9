import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'
import type { ReportAnswer } from '#shared/reports/answer.ts'
import { otherLabel } from '#shared/reports/answer.ts'
import { plainReport } from '#shared/views/address.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import type { ReportAddress } from '#shared/views/view-address.ts'
import { limitedTo } from '#renderer/views/reports/filter-changes.ts'
import { failed, FakeDesk, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { answerFor } from '#test/src-renderer/helpers/figures.ts'
import { show } from '#test/src-renderer/helpers/show.ts'

const costly = failed('costly', { cost: { calls: 57, milliseconds: 15_000, more: 340 } })
const named = (text: string) => ({ kind: 'text', text }) as const

/** Answers once it is asked by hand; of so many sources, so many were asked. */
function asks(composed?: { requested: number; total: number }): FakeDesk {
  return new FakeDesk().answer('reports/ask', ({ query, force }) => {
    if (!force) return costly
    const answer: ReportAnswer = answerFor(query)
    if (!composed) return good(answer)
    const provenance = { ...answer.provenance, composed: { ...composed, unit: 'sources' as const } }
    return good({ ...answer, provenance })
  })
}

describe('a table that the desk composes', () => {
  it('says what it costs, and is asked for once a person agrees', async () => {
    const desk = asks()
    show(desk, '#/reports/script/sources')
    expect(await screen.findByText('The service has no table by source. Each one takes a call.')).toBeTruthy()
    expect(screen.getByText('57 calls, about 15 s. 340 more can be loaded afterwards.')).toBeTruthy()
    await fireEvent.click(screen.getByRole('button', { name: 'Load' }))
    await screen.findByRole('grid', { name: 'Script by source' })
    expect(desk.argumentsOf('reports/ask').at(-1)).toMatchObject({ force: true })
  })

  it('names what was not asked, and asks for it', async () => {
    const desk = asks({ requested: 200, total: 540 })
    show(desk, '#/reports/script/sources')
    await fireEvent.click(await screen.findByRole('button', { name: 'Load' }))
    const note = await screen.findByRole('group', { name: 'Not all sources' })
    expect(note.textContent).toContain('200 of 540 sources.')
    const before = desk.argumentsOf('reports/ask').length
    await fireEvent.click(within(note).getByRole('button', { name: 'Load 340 more' }))
    await waitFor(() => expect(desk.argumentsOf('reports/ask').length).toBeGreaterThan(before))
    expect(desk.argumentsOf('reports/ask').at(-1)).toMatchObject({ force: true })
  })

  it('has no rule sets', async () => {
    show(new FakeDesk(), '#/reports/script/sources?rules=1')
    await screen.findByRole('grid', { name: 'Script by source' })
    expect(await screen.findByRole('checkbox', { name: 'Rates' })).toBeTruthy()
    expect(screen.queryByRole('checkbox', { name: 'Rule sets' })).toBeNull()
  })
})

describe('a click on a row', () => {
  const bySource: ReportAddress = { ...plainReport, dimension: 'sources' }

  it('leads from a source to its campaigns, and from a campaign to its sources', () => {
    expect(limitedTo(bySource, named('news'))?.difference).toMatchObject({
      dimension: 'campaigns',
      source: 'news',
    })
    expect(limitedTo({ ...bySource, dimension: 'campaigns' }, named('spring'))?.difference).toMatchObject({
      dimension: 'sources',
      campaign: 'spring',
    })
  })

  it('leads to the instances of both, where both are limited then', () => {
    expect(limitedTo({ ...bySource, campaign: 'spring' }, named('news'))?.difference).toMatchObject({
      dimension: 'sessions',
      source: 'news',
    })
  })

  it('leads nowhere from what is left over', () => {
    expect(limitedTo(bySource, named(otherLabel))).toBeNull()
  })

  it('leads from an instance to its browsers', () => {
    const label = { kind: 'instance', id: '3' as InstanceId, name: 'Three' } as const
    expect(limitedTo(plainReport, label)?.difference.dimension).toBe('browsers')
  })
})
