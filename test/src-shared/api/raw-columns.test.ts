import { describe, expect, it } from 'vitest'
import {
  operatorsWithoutValue,
  rawFilterRule,
  rawStandardColumns,
  rawTypes,
} from '#shared/api/raw-columns.ts'

/** The specification's table of standard columns, as it is written there. */
const specified = {
  request:
    'source, campaign, exid, remote_address, network, connection, country, region, city, user_agent, browser_name, browser_version, os_name, os_version, device_type, device_manufacturer, device_model, location',
  response:
    'source, campaign, response_id, result, rule_sets, invalid_traffic_type, remote_address, network, connection, country, region, city, language, user_agent, browser_name, browser_version, os_name, os_version, device_type, device_manufacturer, device_model, page, referrer',
  direct:
    'source, campaign, result, rule_sets, invalid_traffic_type, remote_address, network, connection, country, region, city, user_agent, device_type, browser_name, browser_version, os_name, os_version, device_manufacturer, device_model, app_id, device_id, requesting_remote_address, requesting_user_agent',
}

const four = ['equals', 'not_equals', 'contains', 'not_contains']
const six = [...four, 'empty', 'not_empty']

describe('the columns of raw reports', () => {
  it.each(rawTypes)('of type %s are those of the specification', (type) => {
    expect(rawStandardColumns[type]).toEqual(specified[type].split(', '))
  })

  it('may be filtered by four operators as a rule', () => {
    expect(rawFilterRule('request', 'source')).toEqual({ operators: four })
    expect(rawFilterRule('response', 'rule_sets')).toEqual({ operators: four })
  })

  it.each([
    ['request', 'exid'],
    ['direct', 'app_id'],
    ['direct', 'device_id'],
    ['request', '1'],
    ['response', 10],
  ] as const)('of type %s: %s may be filtered for emptiness as well', (type, column) => {
    expect(rawFilterRule(type, column)).toEqual({ operators: six })
  })

  it('have results with fixed values', () => {
    expect(rawFilterRule('request', 'result')).toEqual({ operators: [], values: ['with-responses', 'drops'] })
    expect(rawFilterRule('response', 'result')).toEqual({
      operators: ['equals', 'not_equals'],
      values: ['good', 'warning', 'bad'],
    })
    expect(rawFilterRule('direct', 'result')).toEqual({
      operators: ['equals', 'not_equals'],
      values: ['non-suspect', 'suspect'],
    })
  })

  it.each([
    ['request', 'app_id'],
    ['direct', 'exid'],
    ['response', 'location'],
    ['direct', 'constructor'],
    ['direct', '__proto__'],
    ['direct', ''],
    ['direct', '1.5'],
    ['direct', '-1'],
  ] as const)('of type %s have none named %s', (type, column) => {
    expect(rawFilterRule(type, column)).toBeUndefined()
  })

  it('take no value where they ask for emptiness', () => {
    expect(operatorsWithoutValue).toEqual(['empty', 'not_empty'])
  })
})
