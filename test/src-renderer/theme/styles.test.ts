import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const TOKENS = 'src-renderer/theme/tokens.css'

/** Every declaration of the window's styles beside the tokens, with its file. */
const declarations = globSync('src-renderer/**/*.{svelte,css}', { exclude: (path) => path === TOKENS })
  .filter((path) => path !== TOKENS && !path.endsWith('safe.css'))
  .flatMap((path) => {
    const source = readFileSync(path, 'utf8')
    const styles = path.endsWith('.css') ? source : (/<style>([\s\S]*)<\/style>/.exec(source)?.[1] ?? '')
    return [...styles.replaceAll(/\/\*[\s\S]*?\*\//g, '').matchAll(/([\w-]+):\s([^;{}]+);/g)].map(
      ([, name = '', value = '']) => ({ path, name, value: value.replaceAll(/\s+/g, ' ') }),
    )
  })

/** Declarations of some properties whose value is none of what is allowed. */
const others = (names: RegExp, allowed: RegExp) =>
  declarations
    .filter(({ name, value }) => names.test(name) && !allowed.test(value))
    .map(({ path, name, value }) => `${path}: ${name}: ${value}`)

describe('the styles of the window', () => {
  it('are read', () => {
    expect(declarations.length).toBeGreaterThan(1000)
  })

  it('have sizes and weights of type from one scale, and one font', () => {
    expect(others(/^font-size$/, /^(inherit|var\(--text-[a-z]+\))$/)).toEqual([])
    expect(others(/^font-weight$/, /^(inherit|normal|var\(--weight-strong\))$/)).toEqual([])
    expect(others(/^font-family$/, /^(inherit|var\(--font\))$/)).toEqual([])
    expect(others(/^font$/, /^(inherit|var\(--text-body\) \/ [\d.]+ var\(--font\))$/)).toEqual([])
  })

  it('have air from one scale: lines of a pixel or two beside it', () => {
    const length = /(?<![\w.-])(?!0px|[12]px)\d*\.?\d+(rem|px)/
    const found = declarations.filter(
      ({ name, value }) => /^(padding|margin|(row-|column-)?gap)(-|$)/.test(name) && length.test(value),
    )
    expect(found).toEqual([])
  })

  it('have colours by their names, and round their corners alike', () => {
    const raw = /#[\da-f]{3,8}\b|\b(rgba?|hsla?|oklch|lab)\(|\b(white|black|red|green|gray|grey)\b/i
    expect(declarations.filter(({ value }) => raw.test(value))).toEqual([])
    expect(others(/^border-radius$/, /^(0|inherit|var\(--radius(-[a-z]+)?\))$/)).toEqual([])
  })

  it('have the colours of verdicts for verdicts alone', () => {
    const found = declarations.filter(({ value }) => /--(series-(good|warning|bad)|better)\b/.test(value))
    // In base.css, for the classes `better` and `worse`.
    const classed = globSync('src-renderer/**/*.svelte').filter((path) =>
      /class(="[^"]*|:)\b(better|worse)\b|'(better|worse)'/.test(readFileSync(path, 'utf8')),
    )
    const paths = new Set([...found.map(({ path }) => path), ...classed])
    expect(
      [...paths].filter(
        (path) => !/chart|overview|explain|table|Facet|Accounts|today|print|theme\/base\.css/.test(path),
      ),
    ).toEqual([])
  })
})
