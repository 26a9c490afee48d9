import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { columnName } from '#main/reports/history/column-names.ts'
import { families } from '#shared/api/families.ts'
import { checkProperty } from '#test/helpers/properties.ts'

const standard = Object.values(families).flatMap(({ counts }) => counts)

/** What stands beside the counts in a file, and what an engine might take for its own. */
const taken = ['kind', 'label', 'label_id', 'folded', 'day', 'days']

/** Headers that are nearly alike, and that look like what others become. */
const header = fc.oneof(
  fc.constantFrom(...standard, ...standard.map((each) => each.toLowerCase()), ...taken),
  fc
    .array(fc.constantFrom('A', 'a', 'U', 'u', '_', '6', '1', ' ', '-', 'é', '😀', '\ud83d', 'text'), {
      maxLength: 5,
    })
    .map((parts) => parts.join('')),
  fc.string({ unit: 'binary' }),
)

describe('the name of a column', () => {
  it.each([
    ['Non-Suspect', false, 'non_suspect'],
    ['Ad Blocker', true, 'ad_blocker'],
    ['UE', true, 'rule_ue'],
    ['Clicks', false, 'extra_c_6c__69__63__6b__73_'],
  ])('of %s is one that any engine can read', (each, rules, name) => {
    expect(columnName(each, rules)).toBe(name)
  })

  it('belongs to one header alone, whatever its letters, with its texts beside it', () => {
    const namesOf = (each: string, rules: boolean) => {
      const name = columnName(each, rules)
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/)
      return [name, `${name}_text`]
    }
    checkProperty(
      'column names',
      fc.property(fc.uniqueArray(header, { minLength: 2, maxLength: 8 }), fc.boolean(), (headers, rules) => {
        const names = [...headers.flatMap((each) => namesOf(each, rules)), ...taken]
        expect(new Set(names).size).toBe(names.length)
      }),
      3000,
    )
  })
})
