import { describe, expect, it } from 'vitest'
import { wordsOf, statusFailure } from '#main/api/body.ts'
import { AccessToken } from '#main/api/token.ts'
import type { HttpAnswer } from '#main/api/transport/exchange.ts'
import type { EndpointPath } from '#shared/api/endpoints.ts'
import { tokenText } from '#test/helpers/service-client.ts'

/** The signs of a text as Handlebars and its like write them into a page. */
const asEntities = (text: string) =>
  text.replace(/[^a-z0-9]/gi, (sign) => `&#x${sign.charCodeAt(0).toString(16).toUpperCase()};`)

const token = new AccessToken(tokenText, 'https://reports.example')

describe("the service's own words", () => {
  it.each([
    ['{"error":"Bad+range%21"}', 'Bad range!'],
    ['{"error":{"code":12,"message":"Bad%20range"}}', 'Bad range'],
    ['{"message":"No+such+page"}', 'No such page'],
    ['{"errors":["First","Second"]}', 'First'],
    ['{"errors":[{"detail":"First"}]}', 'First'],
    ['{"error":"","message":"Second"}', 'Second'],
    ['{"error":true,"message":"Second"}', 'Second'],
    ['"Just text"', 'Just text'],
    ['plain words + more', 'plain words + more'],
    [
      '<html><head><title>No</title></head><body><h1>Bad</h1> <p>gate&amp;way</p></body></html>',
      'Bad gate&way',
    ],
    ['<script>alert(1)</script><style>p{}</style>Down<!-- hidden -->', 'Down'],
    ['{"error":"<b>Bad</b> <script>alert(1)</script>range"}', 'Bad range'],
    ['{"error":"%3Cimg src=x onerror=alert(1)%3EBad"}', 'Bad'],
    ['a < b and b > a', 'a < b and b > a'],
    ['<p>caf&#233; &#x26; bar&#x1F600;</p>', 'café & bar😀'],
    ['{"error":"fish &amp; chips"}', 'fish & chips'],
    ['<p>&#x110000; &#9999999; &none; &#;</p>', '&#x110000; &#9999999; &none; &#;'],
    ['line\n\tbreak\u0000\u202e', 'line break'],
    ['<p>never closed', 'never closed'],
  ])('%j say %j', (body, words) => {
    expect(wordsOf(body, token)).toBe(words)
  })

  it.each(['', '   ', '{}', '[]', 'null', '{"error":null}', '{"error":12}', '<br>', '{"status":"x"}'])(
    'are missing from %j',
    (body) => {
      expect(wordsOf(body, token)).toBeUndefined()
    },
  )

  it('are shortened to 400 characters, never within one', () => {
    const words = wordsOf('😀'.repeat(1000), token) ?? ''
    expect([...words]).toHaveLength(400)
    expect(words.endsWith('😀…')).toBe(true)
  })

  it.each([
    ['as it is', `{"error":"token ${tokenText} is not known"}`],
    ['encoded', `{"error":"token ${encodeURIComponent(tokenText)} is not known"}`],
    ['encoded twice', `{"error":"token ${encodeURIComponent(encodeURIComponent(tokenText))} is not known"}`],
    ['as a template escapes it', `<p>token ${asEntities(tokenText)} is not known</p>`],
    ['escaped for a page and put into JSON', `{"error":"token ${asEntities(tokenText)} is not known"}`],
    ['where the words are cut', `${'x'.repeat(390)} ${tokenText}`],
  ])('never have the token in them: %s', (_, body) => {
    const words = wordsOf(body, token) ?? ''
    expect(words).not.toContain('5e15a')
    expect(words).not.toContain(tokenText.slice(0, 5))
  })

  it('are found in bounded time in a hostile body', () => {
    expect(wordsOf('<'.repeat(60_000), token)).toBeDefined()
    expect(wordsOf(`{"error":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, token)).toBeUndefined()
  })
})

const now = Date.UTC(2026, 10, 20, 12)

function told(answer: Partial<HttpAnswer>, path: EndpointPath = 'script/browsers') {
  const whole: HttpAnswer = {
    status: 400,
    text: '',
    retryAfter: undefined,
    date: undefined,
    location: undefined,
    ...answer,
  }
  const url = new URL(`https://reports.example/v1/${path}`)
  return statusFailure(whole, {
    path,
    url,
    token: new AccessToken(tokenText, 'https://reports.example'),
    now,
  }).failure
}

const error = (words: string) => JSON.stringify({ error: words })

describe('the failure that a status means', () => {
  it.each([
    [400, 'bad-request', /rejected this request/],
    [401, 'refused-token', /rejected the access token/],
    [402, 'bad-request', /rejected this request/],
    [403, 'no-right', /no access/],
    [404, 'not-found', /nothing at \/v1\/script\/browsers/],
    [407, 'server-trouble', /proxy/],
    [410, 'not-found', /nothing at/],
    [422, 'bad-request', /rejected this request/],
    [429, 'server-trouble', /too many calls/],
    [500, 'server-trouble', /status 500/],
    [502, 'server-trouble', /status 502/],
    [503, 'server-trouble', /unavailable/],
    [504, 'server-trouble', /took too long/],
    [599, 'server-trouble', /status 599/],
  ])('%i is %s', (status, kind, words) => {
    expect(told({ status })).toEqual({ kind, message: expect.stringMatching(words) as string })
  })

  it.each([
    [undefined, /Wait a minute/],
    ['30', /Wait a minute/],
    ['600', /in 10 minutes/],
    [new Date(now + 10 * 60_000).toUTCString(), /in 10 minutes/],
    ['86400', /in 24 hours/],
    ['nonsense', /Wait a minute/],
  ])('says when to ask again after 429 with Retry-After %s', (retryAfter, words) => {
    expect(told({ status: 429, retryAfter }).message).toMatch(words)
  })

  it("has the service's words apart from ours", () => {
    expect(told({ text: error('limit+must+be+a+number') })).toMatchObject({
      kind: 'bad-request',
      said: 'limit must be a number',
    })
  })

  it.each([
    'The date range must not be longer than 7 days',
    'Range too wide: at most 31 days',
    'start lies outside of the allowed window',
    'date+range+exceeds+the+limit',
    'The period is out of range',
  ])('400 about a window is told apart: %s', (words) => {
    expect(told({ text: error(words) }).kind).toBe('out-of-window')
  })

  it.each([
    'limit is out of range',
    'page must be at least 1',
    'sort: no such column',
    'start must be a date',
  ])('400 about something else is a bad request: %s', (words) => {
    expect(told({ text: error(words) }).kind).toBe('bad-request')
  })

  it('400 about days is a bad request where an endpoint has none', () => {
    expect(told({ text: error('7 days') }, 'interface/instances').kind).toBe('bad-request')
  })

  it('400 about the token is a refused token', () => {
    expect(told({ text: error('malformed token') }).kind).toBe('refused-token')
  })

  it('404 for a raw report says that there is none', () => {
    expect(told({ status: 404 }, 'raw/report').message).toMatch(/no longer has this raw report/)
  })

  it.each([
    ['https://login.example/sign-in?next=x', 'login.example'],
    ['http://reports.example:8080/', 'reports.example:8080'],
    ['/elsewhere', 'reports.example'],
    ['http://', 'another address'],
    [undefined, 'another address'],
  ])('3xx to %s names where it leads', (location, target) => {
    for (const status of [301, 302, 303, 307, 308]) {
      const failure = told({ status, location })
      expect(failure.kind).toBe('server-trouble')
      expect(failure.message).toContain(`redirects to ${target}.`)
    }
  })

  it('never has the token in it, not even by way of a redirect', () => {
    const failure = told({
      status: 302,
      location: `https://${tokenText.replaceAll(/[^a-z0-9]/g, '')}.example/${tokenText}`,
    })
    expect(JSON.stringify(failure)).not.toContain(tokenText)
  })
})

describe('clocks that differ', () => {
  it.each([
    [2 * 3_600_000, '2 hours ahead of'],
    [-2 * 3_600_000, '2 hours behind'],
    [6 * 60_000, '6 minutes ahead of'],
  ])('by %i ms are mentioned where a token is refused', (ahead, words) => {
    expect(told({ status: 401, date: new Date(now - ahead).toUTCString() }).message).toContain(words)
  })

  it.each([[0], [4 * 60_000], [-4 * 60_000]])('by %i ms are not', (ahead) => {
    expect(told({ status: 401, date: new Date(now - ahead).toUTCString() }).message).not.toContain('clock')
  })

  it.each(['', 'yesterday'])('are not made up from a Date header such as %j', (date) => {
    expect(told({ status: 401, date }).message).not.toContain('clock')
  })
})
