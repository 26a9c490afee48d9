import { screen, within } from '@testing-library/svelte'
import { expect, it } from 'vitest'
import { FakeDesk } from '#test/src-renderer/helpers/fake-desk.ts'
import { show } from '#test/src-renderer/helpers/show.ts'

const about = async (version: string) => {
  show(new FakeDesk({ version }), '#/settings')
  const section = await screen.findByRole('region', { name: 'About' })
  return within(section)
}

it.each([
  ['0.2.0', false],
  ['0.2.0-not-for-people', true],
])('About names the version %s, and says of a build for tests that it is one', async (version, forTests) => {
  const section = await about(version)
  expect(section.getByText(new RegExp(`^Traffic Desk ${version}\\.`))).toBeTruthy()
  expect(section.queryByText(/This is a test build/) !== null).toBe(forTests)
})
