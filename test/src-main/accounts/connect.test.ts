import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { FailureKind } from '#shared/api/failure.ts'
import { openHandle } from '#main/database/sqlite/database.ts'
import { stateFile, stateSchema } from '#main/database/state/schema.ts'
import { currentVersion } from '#main/database/sqlite/migrate.ts'
import { createServiceClient } from '#main/api/client.ts'
import { json, plain, scriptedServer } from '#test/helpers/scripted-server.ts'
import type { Script } from '#test/helpers/scripted-server.ts'
import { localStore, temporaryFolder } from '../database/helpers.ts'
import { accountsWith, form } from './helpers.ts'

const failure = (kind: FailureKind, field?: string) => ({
  failure: field === undefined ? { kind } : { kind, field },
})

describe('connecting', () => {
  it('keeps profile and token, each in its place, and makes the account the active one', async () => {
    const { accounts, keychain, store, service, events } = accountsWith()
    const account = await accounts.connect({ ...form, name: '  Acme ', token: ' good-token\n' })
    expect(account).toMatchObject({
      name: 'Acme',
      kind: 'service',
      address: 'https://reports.example',
      dayZone: 'UTC',
    })
    expect(keychain.entries()).toEqual({ [account.id]: { token: 'good-token', origin: form.address } })
    expect(await store.run('accounts/list', undefined)).toEqual([account])
    expect(await store.run('settings/read', undefined)).toMatchObject({ activeAccount: account.id })
    expect(accounts.active()).toBe(account.id)
    expect(events.at(-1)).toEqual({
      active: account.id,
      accounts: [{ ...account, tokenPlace: 'keychain' }],
    })
    expect(service.calls).toEqual([{ path: 'interface/instances', token: 'good-token' }])
    expect(service.made[0]?.closed).toBe(true)
  })

  it.each([
    ...['\u200b', '\u2060', '\u00ad', '\ufeff'].map((mark) => `${mark}good-token${mark}`),
    ...['“good-token”', '«good-token»', '„good-token“', "'good-token'", '`good-token`'],
    ...['Bearer good-token', 'Authorization: Bearer good-token', '\ufeff"Bearer good\u200b-token"\u00a0'],
  ])('takes %j for the token that it is, and sends nothing else', async (token) => {
    const { accounts, keychain, service } = accountsWith()
    const account = await accounts.connect({ ...form, token })
    expect(keychain.entries()).toEqual({ [account.id]: { token: 'good-token', origin: form.address } })
    expect(service.calls).toEqual([{ path: 'interface/instances', token: 'good-token' }])
  })

  it('names the one character that no token has, and no other, before asking anyone', async () => {
    const { accounts, service } = accountsWith()
    const refused = accounts.connect({ ...form, token: 'good\u2011token' })
    await expect(refused).rejects.toMatchObject({
      failure: {
        kind: 'invalid',
        field: 'token',
        message: expect.stringMatching(/^[^‑]*U\+2011, a hyphen that does not break[^‑]*$/) as string,
      },
    })
    await expect(refused).rejects.not.toThrow(/good|token\b.*token\b/)
    expect(service.calls).toEqual([])
  })

  it('takes the address of an endpoint for that of its service', async () => {
    const { accounts } = accountsWith()
    const address = `<${form.address}/v1/direct/overview?start=20261101#top>`
    expect((await accounts.connect({ ...form, address })).address).toBe(form.address)
  })

  it.each([
    ['name', { name: '  ' }],
    ['address', { address: 'not an address' }],
    ['address', { address: 'http://reports.example' }],
    ['token', { token: ' ' }],
    ['token', { token: 'two\nlines' }],
  ])('refuses a wrong %s before asking anyone: %j', async (field, wrong) => {
    const { accounts, service } = accountsWith()
    await expect(accounts.connect({ ...form, ...wrong })).rejects.toMatchObject(failure('invalid', field))
    expect(service.calls).toEqual([])
  })

  it.each([
    ['offline', 'address'],
    ['not-found', 'address'],
    ['malformed', 'address'],
    ['refused-token', 'token'],
    ['no-right', 'token'],
  ] as const)('says of %s that it is about the %s, and keeps nothing', async (kind, field) => {
    const { accounts, service, keychain, store } = accountsWith()
    service.failure = kind
    await expect(accounts.connect(form)).rejects.toMatchObject({ failure: { kind, field, said: 'no' } })
    expect(keychain.secrets.size).toBe(0)
    expect(await store.run('accounts/list', undefined)).toEqual([])
    expect(service.made[0]?.closed).toBe(true)
  })

  it.each(['timed-out', 'server-trouble'] as const)('blames no field for %s', async (kind) => {
    const { accounts, service } = accountsWith()
    service.failure = kind
    const refused = await accounts.connect(form).catch((error: unknown) => error)
    expect(refused).toMatchObject({ failure: { kind } })
    expect(refused).not.toHaveProperty('failure.field')
  })

  it.each(['json', 'form'] as const)('finds out that a service reads %s alone', async (reads) => {
    const { accounts, service } = accountsWith()
    service.reads = reads
    const account = await accounts.connect({ ...form, bodyEncoding: reads === 'json' ? 'form' : 'json' })
    expect(account).toMatchObject({ bodyEncoding: reads })
    expect(service.made).toHaveLength(2)
    expect(service.made.every(({ closed }) => closed)).toBe(true)
  })

  it('says that both forms of body were tried where the service takes neither', async () => {
    const { accounts, service } = accountsWith()
    service.failure = 'bad-request'
    const refused = await accounts.connect(form).catch((error: unknown) => error)
    expect(refused).toMatchObject({
      failure: { kind: 'bad-request', message: expect.stringContaining('tried both ways'), said: 'no' },
    })
    expect(refused).not.toHaveProperty('failure.field')
  })

  it('refuses a name that is taken, also where the same form is sent twice at once', async () => {
    const { accounts, keychain } = accountsWith()
    const outcomes = await Promise.allSettled([accounts.connect(form), accounts.connect(form)])
    expect(outcomes.map((each) => each.status).sort()).toEqual(['fulfilled', 'rejected'])
    await expect(accounts.connect(form)).rejects.toMatchObject(failure('invalid', 'name'))
    expect(accounts.list()).toHaveLength(1)
    expect(keychain.secrets.size).toBe(1)
  })
})

describe('connecting to a service that finds no token in the other form of body', () => {
  const instances = { instances: [{ id: 1, name: 'One', status: 1 }] }
  const page = json({ ...instances, query: { page: 1, limit: 1000, results: 1, pages: 1 } })
  const refusal = (words: string) => plain(400, JSON.stringify({ error: words }))

  async function serviceWith(answers: Readonly<Record<'json' | 'form', Script>>) {
    const server = await scriptedServer((request, response) => {
      const isJson = request.headers['content-type'] === 'application/json'
      answers[isJson ? 'json' : 'form'](request, response)
    })
    onTestFinished(() => server.close())
    return {
      server,
      entered: { ...form, address: server.address },
      ...accountsWith({ createClient: createServiceClient }),
    }
  }

  it.each(['json', 'form'] as const)('goes on with %s', async (reads) => {
    const other = reads === 'json' ? 'form' : 'json'
    const missing = { json: refusal('Missing token.'), form: refusal('Missing token.') }
    const { server, accounts, entered } = await serviceWith({ ...missing, [reads]: page })
    const account = await accounts.connect({ ...entered, bodyEncoding: other })
    expect(account).toMatchObject({ bodyEncoding: reads })
    expect(server.requests).toHaveLength(2)
  })

  it.each(['json', 'form'] as const)(
    'quotes it about both where it refuses the token in %s',
    async (reads) => {
      const missing = { json: refusal('Missing token.'), form: refusal('Missing token.') }
      const { server, accounts, entered } = await serviceWith({
        ...missing,
        [reads]: refusal('Unknown token.'),
      })
      await expect(accounts.connect({ ...entered, bodyEncoding: 'json' })).rejects.toMatchObject({
        failure: {
          kind: 'refused-token',
          field: 'token',
          message: expect.stringContaining('tried both ways'),
          said: reads === 'json' ? 'Unknown token. · Missing token.' : 'Missing token. · Unknown token.',
        },
      })
      expect(server.requests).toHaveLength(2)
    },
  )

  it('says what is wrong with the token that the other form brought', async () => {
    const { accounts, entered } = await serviceWith({
      json: refusal('Missing token.'),
      form: plain(403, 'Not from here'),
    })
    await expect(accounts.connect(entered)).rejects.toMatchObject({
      failure: { kind: 'no-right', said: 'Not from here' },
    })
  })

  it('says that the form may be wrong where the other one came to nothing', async () => {
    const { accounts, entered } = await serviceWith({ json: refusal('What?'), form: plain(404) })
    await expect(accounts.connect(entered)).rejects.toMatchObject({
      failure: {
        kind: 'bad-request',
        message: expect.stringContaining('Request format'),
        said: 'What?',
      },
    })
  })
})

describe('connecting without a keychain', () => {
  it('keeps nothing and says so; for this session only, it works', async () => {
    const { accounts, keychain, store, service } = accountsWith()
    keychain.refuses = true
    await expect(accounts.connect(form)).rejects.toMatchObject(failure('no-keychain'))
    expect(await store.run('accounts/list', undefined)).toEqual([])
    const account = await accounts.connect({ ...form, storage: 'session' })
    const client = await accounts.clientFor(account.id)
    await client.call('interface/instances', {})
    expect(service.calls.at(-1)?.token).toBe('good-token')
  })

  it('says of each account where its token is', async () => {
    const { accounts } = accountsWith()
    const stored = await accounts.connect(form)
    const held = await accounts.connect({ ...form, name: 'Held', storage: 'session' })
    const places = accounts.list().map(({ id, tokenPlace }) => [id, tokenPlace])
    expect(places).toEqual([
      [stored.id, 'keychain'],
      [held.id, 'session'],
    ])
  })

  it('puts the token nowhere on the disk', async () => {
    const folder = temporaryFolder()
    const token = 'a-very-secret-token-0123456789'
    const { accounts, service } = accountsWith({ store: localStore(folder) })
    Object.assign(service, { goodToken: token })
    await accounts.connect({ ...form, token, storage: 'session' })
    for (const name of readdirSync(folder))
      expect(readFileSync(join(folder, name), 'latin1')).not.toContain(token)
  })
})

describe('connecting where nothing can be kept', () => {
  it('takes the token back out of the keychain where the profile is refused', async () => {
    const store = localStore()
    const run: typeof store.run = (name, argument) =>
      name === 'accounts/put' ? Promise.reject(new Error('full')) : store.run(name, argument)
    const { accounts, keychain } = accountsWith({ store: { ...store, run } })
    await expect(accounts.connect(form)).rejects.toThrow('full')
    expect(keychain.secrets.size).toBe(0)
    expect(accounts.list()).toEqual([])
  })

  it('leaves no token in the keychain for an account that is gone tomorrow', async () => {
    const folder = temporaryFolder()
    const handle = openHandle(stateFile(folder))
    handle.exec(`CREATE TABLE later (a); PRAGMA user_version = ${currentVersion(stateSchema) + 1}`)
    handle.close()
    const { accounts, keychain } = accountsWith({ store: localStore(folder) })
    await accounts.connect(form)
    expect(accounts.list()).toHaveLength(1)
    expect(keychain.secrets.size).toBe(0)
  })
})
