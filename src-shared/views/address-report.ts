import { dimensionNames, offers } from '../api/dimensions.ts'
import { familyNames } from '../api/families.ts'
import { readSharedParameters, readTableParameters } from './address-reading.ts'
import type { ReportAddress } from './view-address.ts'

/** Reads `script/browsers` and its parameters; a table that the family does not offer becomes the usual one. */
export function readReport(
  path: readonly string[],
  parameters: URLSearchParams,
  usual: ReportAddress,
): ReportAddress {
  const family = familyNames.find((familyName) => familyName === path[0]) ?? usual.family
  const requested = dimensionNames.find((dimensionName) => dimensionName === path[1])
  const dimension = requested && offers(family, requested) ? requested : usual.dimension
  return {
    kind: 'reports',
    family,
    dimension,
    ...readSharedParameters(parameters),
    ...readTableParameters(parameters, dimension),
  }
}
