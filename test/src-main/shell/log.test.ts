import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLog, withoutSecrets } from '#main/shell/log.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'desk-log-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

describe('the log', () => {
  it('writes lines in their order, with time and place', async () => {
    const file = join(folder, 'logs', 'desk.log')
    const log = openLog(file, () => Date.UTC(2026, 10, 20, 9, 30))
    log('store', 'first')
    log('bridge', 'second', new TypeError('broken'))
    await log.written()
    const [first, second] = readFileSync(file, 'utf8').split('\n')
    expect(first).toBe('2026-11-20T09:30:00.000Z store: first')
    expect(second).toContain('bridge: second · TypeError: broken')
  })

  it('says nothing of a thrown value that is no error: it may be anything', async () => {
    const file = join(folder, 'desk.log')
    const log = openLog(file)
    log('main', 'odd', 'the token itself')
    await log.written()
    expect(readFileSync(file, 'utf8')).not.toContain('itself')
  })

  it('counts what repeats itself, and what is too much: nothing is pushed out of it', async () => {
    const file = join(folder, 'desk.log')
    const log = openLog(file)
    log('store', 'what matters')
    for (let time = 0; time < 100_000; time += 1) log('shell', 'Refused a navigation')
    for (let time = 0; time < 1000; time += 1) log('bridge', `Refused ${time}`)
    await log.written()
    const text = readFileSync(file, 'utf8')
    expect(text).toContain('what matters')
    expect(text).toContain('Refused a navigation · again × 99999')
    expect(text).toContain('802 more lines were left out')
    expect(text.split('\n').length).toBeLessThan(210)
  })

  it('counts long lines sooner: they take the room of many', async () => {
    const file = join(folder, 'desk.log')
    const log = openLog(file)
    log('store', 'what matters')
    for (let time = 0; time < 1000; time += 1) log('bridge', `Refused ${time} ${'ü'.repeat(5000)}`)
    log('store', 'what comes after')
    await log.written()
    const text = readFileSync(file, 'utf8')
    expect(text).toContain('what matters')
    expect(text).toContain('what comes after')
    expect(text).toContain('996 more lines were left out')
    expect(Buffer.byteLength(text)).toBeLessThan(40_000)
  })

  it('puts a long file aside and keeps one', async () => {
    const file = join(folder, 'desk.log')
    writeFileSync(file, 'x'.repeat(256 * 1024))
    const log = openLog(file)
    log('main', 'after')
    await log.written()
    expect(existsSync(file)).toBe(false)
    expect(statSync(`${file}.old`).size).toBeGreaterThan(256 * 1024)
    log('main', 'anew')
    await log.written()
    expect(readFileSync(file, 'utf8')).toContain('anew')
  })

  it('is for nobody else to read, also where an earlier version let others', async () => {
    const file = join(folder, 'desk.log')
    for (const each of [file, `${file}.old`]) {
      writeFileSync(each, '')
      chmodSync(each, 0o644)
    }
    const log = openLog(file)
    log('main', 'for nobody else')
    await log.written()
    expect([file, `${file}.old`].map((each) => statSync(each).mode & 0o777)).toEqual([0o600, 0o600])
  })

  it('goes on where the disk refuses', async () => {
    writeFileSync(join(folder, 'file'), '')
    const log = openLog(join(folder, 'file', 'desk.log'))
    log('main', 'lost')
    await expect(log.written()).resolves.toBeUndefined()
  })
})

describe('what is left out of the log', () => {
  it.each([
    ['asked https://a.example/v1/x?token=abc&b=1 twice', 'asked https://a.example/v1/x twice'],
    ['at http://127.0.0.1:80/raw#frag, then', 'at http://127.0.0.1:80/raw then'],
    ['{"token":"abc def","x":1}', '{"token":[left out],"x":1}'],
    ['token=abc&start=1', 'token=[left out]&start=1'],
    ["access_token: 'abc'", 'access_token: [left out]'],
  ])('%s', (text, expected) => {
    expect(withoutSecrets(text)).toBe(expected)
  })

  it('is done with a long word at once', { timeout: 5000 }, () => {
    for (const word of ['x'.repeat(200_000), 'token'.repeat(40_000)]) expect(withoutSecrets(word)).toBe(word)
  })
})
