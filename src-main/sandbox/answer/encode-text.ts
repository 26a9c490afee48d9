import type { Behaviour } from '../contracts/behaviour.ts'
import { sentUnencoded } from '../events/catalogue/labels.ts'
import { hash32 } from '../events/random.ts'

/**
 * Writes texts URL-encoded, as the behaviour says (specification: conventions for values; field notes: values). A literal
 * plus is always `%2B`. Some labels are sent as they are although they are broken encodings, as they come in the field.
 * @param salt decides where a mixed writer takes `+`, so that the same request always reads the same
 */
export function textEncoder(spaces: Behaviour['spaces'], salt: number): (text: string) => string {
  let written = 0
  const space = () => {
    if (spaces === 'mixed') return hash32(written++, salt) % 2 === 0 ? '+' : '%20'
    return spaces === 'plus' ? '+' : '%20'
  }
  return (text) => {
    if (sentUnencoded.has(text)) return text
    // Half a surrogate pair, as an echo may hold, has no encoding.
    const whole = text.replace(/\p{Surrogate}/gu, '\ufffd')
    return encodeURIComponent(whole).replaceAll('%20', space)
  }
}
