import { NON_IDENTIFIABLE, UNDEFINED } from './catalogue.ts'

/** Information from a user agent. Events store the index of a client. */
export type Client = {
  readonly browser: string
  readonly browser_version: string
  readonly os: string
  readonly os_version: string
  readonly manufacturer: string
  readonly model: string
  readonly type: string
  readonly weight: number
}

type Device = readonly [manufacturer: string, model: string]

/** Browsers and systems that occur together. Each combination becomes a client; the first ones weigh more. */
type Profile = {
  readonly weight: number
  readonly type: string
  readonly os: string
  readonly osVersions: readonly string[]
  readonly browsers: Readonly<Record<string, readonly string[]>>
  readonly devices: readonly Device[]
}

const unknownDevice: readonly Device[] = [[NON_IDENTIFIABLE, NON_IDENTIFIABLE]]

const profiles: readonly Profile[] = [
  {
    weight: 30,
    type: 'desktop',
    os: 'Windows',
    osVersions: ['11', '10', '8.1'],
    browsers: {
      Chrome: ['142', '141', '138'],
      Edge: ['142', '141'],
      Firefox: ['144', '128'],
      Opera: ['122'],
    },
    devices: unknownDevice,
  },
  {
    weight: 12,
    type: 'desktop',
    os: 'macOS',
    osVersions: ['26.1', '15.7'],
    browsers: { Safari: ['26.1', '18.6'], Chrome: ['142', '141'], 'Browser+ 100% "Pro"': ['3'] },
    devices: [['Apple', 'Mac']],
  },
  {
    weight: 4,
    type: 'desktop',
    os: 'Linux',
    osVersions: [UNDEFINED],
    browsers: { Firefox: ['144'], Chrome: ['142'] },
    devices: unknownDevice,
  },
  {
    weight: 20,
    type: 'mobile:phone',
    os: 'iOS',
    osVersions: ['26.1', '18.6', '17.7'],
    browsers: { 'Safari Mobile': ['26.1', '18.6'], 'Chrome Mobile': ['142'] },
    devices: [
      ['Apple', 'iPhone'],
      ['Apple', 'iPhone 15'],
    ],
  },
  {
    weight: 22,
    type: 'mobile:phone',
    os: 'Android',
    osVersions: ['16', '15', '14', '12'],
    browsers: {
      'Chrome Mobile': ['142', '141'],
      'Samsung Internet': ['29'],
      'UC%Browser': ['13'],
      'Dolphin%zz/12': ['12'],
    },
    devices: [
      ['Samsung', 'Galaxy S24'],
      ['Xiaomi', 'Redmi Note 13'],
      ['小米', '14 Ultra'],
      ['Google', 'Pixel 9 / Pro'],
    ],
  },
  {
    weight: 6,
    type: 'mobile:tablet',
    os: 'iPadOS',
    osVersions: ['26.1', '18.6'],
    browsers: { Safari: ['26.1'] },
    devices: [
      ['Apple', 'iPad'],
      ['Apple', 'iPad Pro 11"'],
    ],
  },
  {
    weight: 3,
    type: 'mobile:tablet',
    os: 'Android',
    osVersions: ['15', '13'],
    browsers: { 'Chrome Mobile': ['142'], 'Silk-100%': ['9'] },
    devices: [
      ['Samsung', 'Galaxy Tab S9'],
      ['Amazon', 'Fire HD 10'],
    ],
  },
  {
    weight: 1,
    type: 'mobile:e-reader',
    os: UNDEFINED,
    osVersions: [UNDEFINED],
    browsers: { [NON_IDENTIFIABLE]: [UNDEFINED] },
    devices: [['Amazon', 'Kindle']],
  },
  {
    weight: 2,
    type: NON_IDENTIFIABLE,
    os: NON_IDENTIFIABLE,
    osVersions: [UNDEFINED],
    browsers: { [NON_IDENTIFIABLE]: [UNDEFINED], 'Chrome Headless': ['142'] },
    devices: unknownDevice,
  },
]

const share = (place: number) => 0.6 ** place

function clientsOf(profile: Profile): Client[] {
  const { os, type } = profile
  const versions = Object.entries(profile.browsers).flatMap(([browser, each], place) =>
    each.map((browser_version, age) => ({ browser, browser_version, share: share(place) * share(age) })),
  )
  const made = versions.flatMap(({ share: popularity, ...browser }) =>
    profile.osVersions.flatMap((os_version, age) =>
      profile.devices.map(([manufacturer, model], place) => {
        const weight = profile.weight * popularity * share(age) * share(place)
        return { ...browser, os, os_version, manufacturer, model, type, weight }
      }),
    ),
  )
  const whole = made.reduce((sum, client) => sum + client.weight, 0)
  return made.map((client) => ({ ...client, weight: (client.weight / whole) * profile.weight }))
}

/** All clients. Events store the index. */
export const clients: readonly Client[] = profiles.flatMap(clientsOf)

/** Whether a client counts as Mobile, by device type. */
export const isMobile = (client: Client): boolean => client.type.startsWith('mobile:')

/** Returns a user agent for a client, varied by `build`. */
export function userAgentOf(client: Client, build: number): string {
  const system =
    client.os === 'iOS' ? `iPhone; CPU iPhone OS ${client.os_version}` : `${client.os} ${client.os_version}`
  if (client.browser === NON_IDENTIFIABLE) return `curl/8.${build % 20}.0`
  const version = `${client.browser_version}.0.${build % 9000}.${build % 190}`
  return `Mozilla/5.0 (${system}; ${client.model}) AppleWebKit/537.36 (KHTML, like Gecko) ${client.browser}/${version}`
}
