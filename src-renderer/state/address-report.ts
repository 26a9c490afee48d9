import { dimensionNames, offers } from '../../src-shared/service/dimensions.ts'
import { familyNames } from '../../src-shared/service/families.ts'
import type { ReportAddress } from './address.ts'
import { readParameters, readTableParameters } from './address-parameters.ts'

/** Reads `script/browsers` and its parameters; a table that the family does not offer becomes the usual one. */
export function readReport(
  path: readonly string[],
  parameters: URLSearchParams,
  usual: ReportAddress,
): ReportAddress {
  const family = familyNames.find((each) => each === path[0]) ?? usual.family
  const asked = dimensionNames.find((each) => each === path[1])
  const dimension = asked && offers(family, asked) ? asked : usual.dimension
  return {
    view: 'reports',
    family,
    dimension,
    ...readParameters(parameters),
    ...readTableParameters(parameters, dimension),
  }
}
