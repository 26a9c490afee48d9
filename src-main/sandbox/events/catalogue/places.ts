import { NON_IDENTIFIABLE, UNDEFINED } from './labels.ts'

/** Where a visitor sits. Regions and cities share names across countries, so that a city alone says nothing. */
export type Place = {
  readonly country: string
  readonly region: string
  readonly city: string
  readonly languages: readonly string[]
  readonly weight: number
}

const world: readonly [
  country: string,
  languages: readonly string[],
  regions: Record<string, readonly string[]>,
][] = [
  [
    'United States',
    ['en-US', 'es-US'],
    {
      California: ['Los Angeles', 'San Francisco', 'San José'],
      Massachusetts: ['Boston', 'Cambridge'],
      Ohio: ['Columbus', 'Dublin'],
      [UNDEFINED]: [UNDEFINED],
    },
  ],
  [
    'Germany',
    ['de-DE', 'en-GB'],
    {
      Bavaria: ['München', 'Nürnberg'],
      Hesse: ['Frankfurt', 'Kassel'],
      Brandenburg: ['Frankfurt', 'Potsdam'],
    },
  ],
  ['United Kingdom', ['en-GB'], { England: ['London', 'Cambridge', 'Birmingham'], Scotland: ['Edinburgh'] }],
  ['France', ['fr-FR'], { 'Île-de-France': ['Paris', "L'Haÿ-les-Roses"], Occitanie: ['Toulouse'] }],
  ['China', ['zh-CN'], { 北京: ['北京'], Guangdong: ['广州', 'Shenzhen'] }],
  ['Netherlands', ['nl-NL', 'en-GB'], { Limburg: ['Maastricht'], 'North Holland': ['Amsterdam'] }],
  ['Belgium', ['nl-BE', 'fr-BE'], { Limburg: ['Hasselt'], Brussels: ['Brussels'] }],
  ['Brazil', ['pt-BR'], { 'São Paulo': ['São Paulo', 'Campinas'], Bahia: ['Salvador'] }],
  ["Côte d'Ivoire", ['fr-FR'], { Abidjan: ['Abidjan'] }],
  ['Ireland', ['en-IE'], { Leinster: ['Dublin'] }],
  [NON_IDENTIFIABLE, ['en-US', ''], { [NON_IDENTIFIABLE]: [NON_IDENTIFIABLE] }],
]

/** Every place; an event holds its index. */
export const places: readonly Place[] = world.flatMap(([country, languages, regions], rank) =>
  Object.entries(regions).flatMap(([region, cities], order) =>
    cities.map((city, place) => ({
      country,
      region,
      city,
      languages,
      weight: 0.75 ** rank * 0.7 ** order * 0.6 ** place,
    })),
  ),
)
