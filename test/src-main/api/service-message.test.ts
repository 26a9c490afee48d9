import { describe, expect, it } from 'vitest'
import { AccessToken } from '#main/api/token.ts'
import { wordsOf } from '#main/api/service-message.ts'
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
