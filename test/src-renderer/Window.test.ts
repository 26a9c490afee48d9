import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { CallOutcome } from '#shared/bridge/calls.ts'
import { commands } from '#shared/app/commands.ts'
import type { Command } from '#shared/app/commands.ts'
import { queryKey } from '#shared/reports/query.ts'
import { FakeDesk, account, bad, failed, good, otherAccount, pending } from './helpers/fake-desk.ts'
import { answerFor } from './helpers/figures.ts'
import { show, showAsTyped, standAt, type } from './helpers/show.ts'

// Menus load with their first use, which takes seconds where nothing is bundled.
beforeAll(() => import('#renderer/components/frame/AccountMenu.svelte'))
beforeEach(() => standAt('2026-11-20T10:00:00Z'))

const link = (name: string) =>
  within(screen.getByRole('navigation', { name: 'Main' })).getByRole('link', { name })
const heading = (name: string) => screen.findByRole('heading', { level: 1, name })
const status = () => screen.getByRole('status').textContent?.trim()

describe('the navigation', () => {
  it('leads to five views, marks the one that is open, and names the window after it', async () => {
    show(new FakeDesk())
    await heading('Overview')
    for (const [name, title] of [
      ['Reports', 'Script by instance'],
      ['Raw reports', 'Raw reports'],
      ['Downloads', 'Downloads'],
      ['Settings', 'Settings'],
      ['Overview', 'Overview'],
    ] as const) {
      link(name).click()
      await heading(title)
      await waitFor(() => expect(link(name).getAttribute('aria-current')).toBe('page'))
      expect(document.title).toBe(`${title} – ${account.name} – Traffic Desk`)
    }
  })

  it('starts every page at its top, and leaves it where it is while only its figures change', async () => {
    show(new FakeDesk())
    await heading('Overview')
    const main = screen.getByRole('main')
    main.scrollTop = 120
    window.location.hash = '#/overview?period=yesterday'
    await waitFor(() => expect(screen.getByText(/^Nov 19, 2026$/)).toBeTruthy())
    expect(main.scrollTop).toBe(120)
    link('Settings').click()
    await heading('Settings')
    expect(main.scrollTop).toBe(0)
    main.scrollTop = 120
    document.documentElement.scrollTop = 120
    window.location.hash = '#/help/words'
    await heading('Help')
    expect([main.scrollTop, document.documentElement.scrollTop]).toEqual([0, 0])
    main.scrollTop = 120
    window.location.hash = '#/help/keys'
    await screen.findByText('Everywhere')
    expect(main.scrollTop).toBe(0)
  })

  it('goes back and forward', async () => {
    show(new FakeDesk())
    await heading('Overview')
    link('Settings').click()
    await heading('Settings')
    window.history.back()
    await heading('Overview')
    window.history.forward()
    await heading('Settings')
  })

  it('begins where the last session ended, and writes down where this one goes', async () => {
    const desk = new FakeDesk({ lastView: '#/reports/script/browsers?period=yesterday' })
    show(desk)
    await heading('Script by browser')
    link('Settings').click()
    await heading('Settings')
    expect(desk.argumentsOf('desk/remember-view')).toEqual([{ view: '#/settings' }])
  })

  it.each(['nonsense', '#/reports/script/__proto__', '#/overview?start=x'])(
    'begins somewhere when the last view reads %s',
    async (lastView) => {
      show(new FakeDesk({ lastView }))
      expect((await screen.findAllByRole('heading', { level: 1 }))[0]).toBeTruthy()
    },
  )

  it('obeys an address that the window was opened at before the last view', async () => {
    show(new FakeDesk({ lastView: '#/settings' }), '#/downloads')
    await heading('Downloads')
  })

  it('skips to the content', async () => {
    show(new FakeDesk())
    await heading('Overview')
    screen.getByRole('link', { name: 'Skip to content' }).click()
    expect(document.activeElement?.tagName).toBe('MAIN')
    expect(window.location.hash).toBe('')
  })
})

describe('the status', () => {
  it('is one element, and follows the connection', async () => {
    const desk = new FakeDesk()
    show(desk, '#/reports/script/browsers')
    await waitFor(() => expect(status()).toMatch(/^As of /))
    desk.emit('connection/changed', { account: account.id, connection: { kind: 'offline' } })
    await waitFor(() => expect(status()).toMatch(/^Offline\. Showing what was kept at /))
    desk.emit('connection/changed', { account: otherAccount.id, connection: { kind: 'online' } })
    expect(status()).toMatch(/^Offline/)
    desk.emit('connection/changed', { account: account.id, connection: { kind: 'online' } })
    await waitFor(() => expect(status()).toMatch(/^As of /))
  })

  it('says that newer figures are asked for, until they are there', async () => {
    const desk = new FakeDesk().answer('reports/ask', ({ query }) => {
      const answer = answerFor(query)
      return good({ ...answer, provenance: { ...answer.provenance, refreshing: true } })
    })
    show(desk, '#/reports/script/browsers')
    await waitFor(() => expect(status()).toMatch(/^As of .*Refreshing…$/))
    desk.answer('reports/ask', ({ query }) => good(answerFor(query)))
    const [asked] = desk.argumentsOf('reports/ask')
    if (!asked) throw new Error('Nothing was asked')
    desk.emit('reports/changed', { account: account.id, key: queryKey(asked.query) })
    await waitFor(() => expect(status()).not.toContain('Refreshing'))
  })
})

describe('a token that no longer serves', () => {
  it.each(['refused', 'no-token'] as const)('(%s) can be replaced while the figures stay', async (state) => {
    const desk = new FakeDesk({ connection: { kind: state } })
    show(desk, '#/reports/script/browsers')
    await waitFor(() => expect(status()).toMatch(/^As of /))
    type(screen.getByLabelText('Access token'), 'newer')
    screen.getByRole('button', { name: 'Use new token' }).click()
    await waitFor(() => expect(screen.queryByLabelText('Access token')).toBeNull())
    expect(status()).toMatch(/^As of /)
    expect(desk.argumentsOf('accounts/renew-token')).toEqual([
      { account: account.id, token: 'newer', storage: 'keychain' },
    ])
    await waitFor(() => expect(desk.argumentsOf('reports/ask').at(-1)?.force).toBe(true))
  })

  it('says what is wrong with the new one, and keeps it nowhere', async () => {
    const desk = new FakeDesk({ connection: { kind: 'refused' } })
    desk.answer('accounts/renew-token', () => failed('refused-token', { field: 'token' }))
    show(desk, '#/settings')
    type(await screen.findByLabelText('Access token'), 'wrong-token')
    screen.getByRole('button', { name: 'Use new token' }).click()
    expect((await screen.findByRole('alert')).textContent).toBe('Words about refused-token.')
    const field = screen.getByLabelText('Access token')
    expect(field.getAttribute('aria-invalid')).toBe('true')
    expect(field instanceof HTMLInputElement && field.value).toBe('')
    expect(document.documentElement.outerHTML).not.toContain('wrong-token')
  })

  it('is kept for the session where there is no keychain and the person agrees', async () => {
    const desk = new FakeDesk({ connection: { kind: 'no-token' } })
    desk.answer('accounts/renew-token', ({ storage }) =>
      storage === 'session' ? good(account) : bad({ kind: 'no-keychain', message: 'None answers.' }),
    )
    show(desk, '#/settings')
    type(await screen.findByLabelText('Access token'), 'newer')
    screen.getByRole('button', { name: 'Use new token' }).click()
    ;(await screen.findByRole('button', { name: 'Keep for this session only' })).click()
    await waitFor(() =>
      expect(desk.argumentsOf('accounts/renew-token').map(({ storage, token }) => [storage, token])).toEqual([
        ['keychain', 'newer'],
        ['session', 'newer'],
      ]),
    )
  })
})

describe('notices', () => {
  it('are shown as they come, as text, and go when they are dismissed', async () => {
    const desk = new FakeDesk()
    show(desk)
    await heading('Overview')
    const notice = {
      id: 'n1',
      tone: 'warning' as const,
      title: 'Paused filter',
      text: '<i>The file</i> was damaged.',
    }
    desk.emit('notices/changed', { notices: [notice] })
    expect(await screen.findByText(/<i>The file<\/i> was damaged\./)).toBeTruthy()
    screen.getByRole('button', { name: 'Dismiss: Paused filter' }).click()
    await waitFor(() => expect(screen.queryByText('Paused filter')).toBeNull())
    expect(desk.argumentsOf('desk/dismiss-notice')).toEqual([{ id: 'n1' }])
  })

  it('are shown before there is an account', async () => {
    const notice = { id: 'n1', tone: 'trouble' as const, title: 'Disk', text: 'Nothing can be kept.' }
    show(new FakeDesk({ accounts: [], active: null, notices: [notice] }))
    expect(await screen.findByText(/Nothing can be kept\./)).toBeTruthy()
  })
})

describe('several accounts', () => {
  const several = () => new FakeDesk({ accounts: [account, otherAccount] })
  const opener = (name: string) => screen.findByRole('button', { name: `Account: ${name}` })
  const said = () => screen.getByRole('region', { name: 'Messages' }).textContent

  async function choose(name: string) {
    ;(await opener('Kestrel Media')).click()
    ;(await screen.findByRole('menuitemradio', { name: new RegExp(name) })).click()
  }

  it('are changed in the header, where filters of the one before are dropped', async () => {
    const desk = several()
    show(desk, '#/reports/script/browsers?period=yesterday&instance=102')
    await choose('Sample data')
    await opener('Sample data')
    await waitFor(() => expect(window.location.hash).toBe('#/reports/script/browsers?period=yesterday'))
    await waitFor(() =>
      expect(desk.argumentsOf('reports/ask').at(-1)).toMatchObject({
        account: otherAccount.id,
        query: { instance: null },
      }),
    )
    expect(said()).toContain('Now showing Sample data.')
  })

  it('are changed by a click on a notification, which keeps the filters of where it leads to, and no others', async () => {
    const desk = several()
    show(desk, '#/reports/script/browsers?period=yesterday&instance=102')
    await waitFor(() => expect(status()).toMatch(/^As of /))
    desk.state = { ...desk.state, active: otherAccount.id }
    desk.emit('accounts/changed', { active: otherAccount.id, accounts: [account, otherAccount] })
    desk.emit('desk/navigate', { address: '#/reports/script/browsers?instance=103' })
    await opener('Sample data')
    await waitFor(() => expect(status()).toMatch(/^As of /))
    expect(window.location.hash).toBe('#/reports/script/browsers?instance=103')
    link('Overview').click()
    await heading('Overview')
    window.history.go(-2)
    await heading('Script by browser')
    await waitFor(() => expect(window.location.hash).toBe('#/reports/script/browsers?period=yesterday'))
    const ofOther = desk.argumentsOf('reports/ask').filter((asked) => asked.account === otherAccount.id)
    const instances = new Set(ofOther.map(({ query }) => query.instance))
    expect(instances).toEqual(new Set(['103', null]))
  })

  it('are listed in a menu that marks the one in use, and gives the focus back', async () => {
    show(several(), '#/settings')
    const button = await opener('Kestrel Media')
    button.focus()
    button.click()
    const chosen = await screen.findByRole('menuitemradio', { name: /Kestrel Media/ })
    expect(chosen.getAttribute('aria-checked')).toBe('true')
    expect(button.getAttribute('aria-expanded')).toBe('true')
    await fireEvent.keyDown(chosen, { key: 'Escape' })
    await waitFor(() => expect(screen.queryByRole('menu')).toBeNull())
    expect(document.activeElement).toBe(button)
  })

  it('keep the one in use when the other cannot be', async () => {
    const desk = several().answer('accounts/activate', () => failed('disk'))
    show(desk, '#/settings')
    await choose('Sample data')
    await waitFor(() => expect(said()).toContain('Words about disk.'))
    await opener('Kestrel Media')
  })

  it('are one keystroke away, and those that are not there are not', async () => {
    const desk = several()
    show(desk, '#/settings')
    await opener('Kestrel Media')
    await fireEvent.keyDown(document.body, { key: '2', ctrlKey: true })
    await opener('Sample data')
    await fireEvent.keyDown(document.body, { key: '2', ctrlKey: true })
    await fireEvent.keyDown(document.body, { key: '7', ctrlKey: true })
    await fireEvent.keyDown(document.body, { key: '1' })
    await fireEvent.keyDown(document.body, { key: '1', ctrlKey: true, altKey: true })
    expect(desk.argumentsOf('accounts/activate')).toEqual([{ account: otherAccount.id }])
  })

  it('follow one another by command, in a circle', async () => {
    const desk = several()
    show(desk, '#/settings')
    await opener('Kestrel Media')
    desk.emit('desk/command', { command: 'next-account' })
    await opener('Sample data')
    desk.emit('desk/command', { command: 'next-account' })
    await opener('Kestrel Media')
    desk.emit('desk/command', { command: 'previous-account' })
    await opener('Sample data')
  })

  it('never show what the one before was still asked', async () => {
    const desk = several()
    const slow = pending<CallOutcome<'reports/ask'>>()
    desk.answer('reports/ask', ({ account: whose, query }) =>
      whose === account.id ? slow.promise : good(answerFor(query)),
    )
    show(desk, '#/reports/script/browsers')
    await heading('Script by browser')
    await choose('Sample data')
    await waitFor(() => expect(status()).toMatch(/^As of /))
    const [first] = desk.argumentsOf('reports/ask')
    if (!first) throw new Error('Nothing was asked')
    slow.resolve(bad({ kind: 'internal', message: 'The answer of the account before.' }))
    await slow.promise
    expect(status()).toMatch(/^As of /)
    expect(screen.queryByText('The answer of the account before.')).toBeNull()
  })
})

describe('what the menu asks for', () => {
  const said = () => screen.getByRole('region', { name: 'Messages' }).textContent
  const asks = (desk: FakeDesk, command: Command) => desk.emit('desk/command', { command })

  it('leads to each view, back and forward', async () => {
    const desk = new FakeDesk()
    show(desk, '#/raw')
    await heading('Raw reports')
    for (const [command, title] of [
      ['settings', 'Settings'],
      ['downloads', 'Downloads'],
      ['raw', 'Raw reports'],
      ['back', 'Downloads'],
      ['forward', 'Raw reports'],
      ['overview', 'Overview'],
      ['reports', 'Script by instance'],
    ] as const) {
      asks(desk, command)
      await heading(title)
    }
  })

  it('copies the link to the view', async () => {
    const desk = new FakeDesk()
    show(desk, '#/reports/script/browsers?period=yesterday')
    await heading('Script by browser')
    asks(desk, 'copy-link')
    await waitFor(() => expect(said()).toContain('Link to this view copied.'))
    expect(desk.argumentsOf('desk/copy')).toEqual([
      { text: 'traffic-desk://reports/script/browsers?period=yesterday' },
    ])
  })

  it('asks for the figures anew', async () => {
    const desk = new FakeDesk()
    show(desk, '#/reports/script/browsers')
    await waitFor(() => expect(status()).toMatch(/^As of /))
    asks(desk, 'refresh')
    await waitFor(() => expect(desk.argumentsOf('reports/ask').at(-1)?.force).toBe(true))
  })

  it('moves to the search of the view', async () => {
    const desk = new FakeDesk()
    show(desk, '#/reports/script/browsers')
    const field = await screen.findByRole('searchbox', { name: 'Search' })
    asks(desk, 'find')
    expect(document.activeElement).toBe(field)
  })

  it.each(['refresh', 'find', 'export', 'save-view', 'next-account'] as const)(
    'says so where there is nothing to %s with',
    async (command) => {
      const desk = new FakeDesk()
      show(desk, '#/downloads')
      await heading('Downloads')
      asks(desk, command)
      await waitFor(() => expect(said()).toMatch(/^(There|Only) /))
    },
  )

  it('does every command, or says why not', async () => {
    const desk = new FakeDesk({ accounts: [], active: null })
    show(desk)
    await heading('Connect to your reporting service')
    for (const command of commands) {
      asks(desk, command)
      await waitFor(() => expect(said()).not.toBe(''))
      screen.getAllByRole('button', { name: /^Dismiss: / }).forEach((each) => each.click())
      await waitFor(() => expect(said()).toBe(''))
    }
  })

  it('opens the address of a link, of which only what is understood is left', async () => {
    const desk = new FakeDesk()
    show(desk, '#/settings')
    await heading('Settings')
    desk.emit('desk/navigate', { address: '#/reports/script/browsers?period=yesterday&x=<script>' })
    await heading('Script by browser')
    expect(window.location.hash).toBe('#/reports/script/browsers?period=yesterday')
  })
})

describe('an address that is not understood', () => {
  const odd = '#/reports/script/sources?period=2026-11-10..2026-11-21'
  const oddWords = '“period=2026-11-10..2026-11-21”. Shown: Last 7 days.'
  const notices = () => screen.getByRole('region', { name: 'Notices' })
  const words = async (from: string) => {
    const title = `Not understood in this ${from}`
    const notice = await within(notices()).findByRole('region', { name: title })
    return notice.firstElementChild?.textContent?.replace(title, '').replaceAll(/\s+/g, ' ').trim()
  }
  const nothingSaid = () =>
    waitFor(() => expect(screen.queryByRole('region', { name: /^Not understood/ })).toBeNull())

  it('opens what can be opened, and says what was passed over until it is dismissed', async () => {
    const desk = new FakeDesk()
    showAsTyped(desk, odd)
    // Screen readers read what comes into the region, not what was there with it.
    expect(notices().textContent.trim()).toBe('')
    expect(await words('link')).toBe(oddWords)
    await heading('Script by source')
    screen.getByRole('button', { name: 'Dismiss: Not understood in this link' }).click()
    await nothingSaid()
    await heading('Script by source')
  })

  it('says so of a link that comes later, until another view is opened', async () => {
    const desk = new FakeDesk()
    show(desk, '#/settings')
    await heading('Settings')
    desk.emit('desk/navigate', { address: odd })
    expect(await words('link')).toBe(oddWords)
    expect(window.location.hash).toBe('#/reports/script/sources')
    link('Settings').click()
    await heading('Settings')
    await nothingSaid()
    desk.emit('desk/navigate', { address: '#/settings?x=y' })
    expect(await words('link')).toBe('“x=y”. Shown without it.')
    desk.emit('desk/navigate', { address: '#/settings' })
    await nothingSaid()
  })

  it('says so of the view that was open last', async () => {
    const desk = new FakeDesk({ lastView: '#/overview?start=2026-11-10&sourc=a' })
    show(desk)
    expect(await words('view')).toBe('“start=2026-11-10”, “sourc=a”. Shown: Last 7 days.')
  })

  it('is shown on one line that is short, and turns no text around', async () => {
    const hostile = `a\u202Eb\nc\u2066${'d'.repeat(100)}`
    showAsTyped(new FakeDesk(), `#/nonsense?${new URLSearchParams({ x: hostile }).toString()}&y=1&z=2`)
    expect(await words('link')).toBe(
      `“nonsense”, “x=a b c ${'d'.repeat(51)}…” and 2 more. Shown without them.`,
    )
    expect(within(notices()).getByText('nonsense').tagName).toBe('BDI')
  })

  it('is opened by no test that did not mean to', () => {
    expect(() => show(new FakeDesk(), odd)).toThrow('The window writes #/reports/script/sources for')
    const form = encodeURIComponent('view::#/overview?period=x')
    expect(() => show(new FakeDesk(), `#/raw?form=${form}`)).toThrow('Not understood in')
  })
})

describe('until the main process has answered', () => {
  it('the window says that it is busy, and shows nothing that is not so', async () => {
    const slow = pending<CallOutcome<'desk/state'>>()
    const desk = new FakeDesk().answer('desk/state', () => slow.promise)
    show(desk)
    expect(screen.getByRole('main').getAttribute('aria-busy')).toBe('true')
    expect(screen.queryByRole('heading')).toBeNull()
    slow.resolve(good(desk.state))
    await heading('Overview')
    expect(screen.getByRole('main').getAttribute('aria-busy')).toBe('false')
  })
})

describe('a desk that cannot be read', () => {
  it('says so, and can be asked again', async () => {
    const desk = new FakeDesk().answer('desk/state', () => failed('internal'))
    show(desk)
    const alert = await screen.findByRole('alert')
    desk.answer('desk/state', () => good(desk.state))
    within(alert).getByRole('button', { name: 'Retry' }).click()
    await heading('Overview')
  })
})
