import { rawStandardColumns } from '../api/raw-columns.ts'
import type { RawType } from '../api/raw-columns.ts'

/** Columns as a person thinks of them. Every standard column of every type stands in one group (a test counts them). */
const groups: readonly { readonly words: string; readonly columns: readonly string[] }[] = [
  {
    words: 'Where it came from',
    columns: ['source', 'campaign', 'exid', 'response_id', 'app_id', 'location', 'page', 'referrer'],
  },
  { words: 'Verdict', columns: ['result', 'rule_sets', 'invalid_traffic_type'] },
  {
    words: 'Network',
    columns: ['remote_address', 'requesting_remote_address', 'network', 'connection'],
  },
  { words: 'Place', columns: ['country', 'region', 'city', 'language'] },
  {
    words: 'Browser and system',
    columns: [
      'user_agent',
      'requesting_user_agent',
      'browser_name',
      'browser_version',
      'os_name',
      'os_version',
    ],
  },
  { words: 'Device', columns: ['device_type', 'device_manufacturer', 'device_model', 'device_id'] },
]

/** The standard columns of a type in groups, each with its words; groups without any are left out. */
export function columnGroups(
  type: RawType,
): readonly { readonly words: string; readonly columns: readonly string[] }[] {
  const offered = rawStandardColumns[type]
  return groups
    .map(({ words, columns }) => ({ words, columns: columns.filter((column) => offered.includes(column)) }))
    .filter(({ columns }) => columns.length > 0)
}

const special: Readonly<Record<string, string>> = {
  exid: 'External ID',
  os_name: 'OS name',
  os_version: 'OS version',
  response_id: 'Response ID',
  app_id: 'App ID',
  device_id: 'Device ID',
}

/** A column in words: "Remote address"; an additional one by its number: "Additional 3". */
export function columnWords(column: string): string {
  if (/^\d+$/.test(column)) return `Additional ${column}`
  const plain = column.replaceAll('_', ' ')
  return (Object.hasOwn(special, column) && special[column]) || plain.charAt(0).toUpperCase() + plain.slice(1)
}
