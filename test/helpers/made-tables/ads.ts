import { count, dated, day, fixed, grouped, made, moment, oneOf } from './made-table.ts'
import type { MadeColumn, Make } from './made-table.ts'

const clicks: MadeColumn = ['Clicks', count(9_000, ','), 'number']
const impressions: MadeColumn = ['Impr.', count(900_000, ','), 'number']
const campaign: MadeColumn = ['Campaign', (row) => row.campaign()]
const share = (places: number) => (row: { fixed: (max: number, places: number) => string }) =>
  `${row.fixed(20, places)}%`

const ads = (name: string, make: Make) => made('ads', name, make)

const google: readonly MadeColumn[] = [
  ['Campaign status', oneOf('Enabled', 'Paused')],
  campaign,
  ['Budget', fixed(300), 'number'],
  ['Currency code', () => 'EUR'],
  clicks,
  impressions,
  ['CTR', share(2), 'number'],
  ['Avg. CPC', (row) => (row.chance(0.2) ? ' --' : row.fixed(3, 2)), 'number'],
  ['Conv. rate', share(2), 'number'],
]

/** Reports of ad platforms. */
export const adTables = () => [
  ads('Google Ads, campaigns', {
    columns: google,
    before: ['Campaign report', '"November 1, 2026 - November 28, 2026"'],
    after: [
      'Total: Campaigns, --,610.00,EUR,"12,345","678,901",1.82%,0.31,2.10%',
      'Total: Account, --,610.00,EUR,"12,345","678,901",1.82%,0.31,2.10%',
    ],
  }),
  ads('Google Ads, campaigns for Excel', {
    columns: google,
    ...{ delimiter: '\t', encoding: 'utf-16le', quote: 'needed', ending: '\n' },
    before: ['Campaign report', 'November 1, 2026 - November 28, 2026'],
    after: ['Total: Campaigns\t --\t610.00\tEUR\t12,345\t678,901\t1.82%\t0.31\t2.10%'],
  }),
  ads('Google Ads, search terms', {
    columns: [
      [
        'Search term',
        oneOf('harbour cruise', 'quill "gold" pen', 'pens, ink & paper', '水 pen', "captain's log"),
      ],
      ['Match type', oneOf('Exact match', 'Phrase match', 'Broad match')],
      ['Keyword', oneOf('[harbour cruise]', '"quill pen"', 'ink', '+buy +pens')],
      ['Cost', fixed(90), 'number'],
      ['Conversions', fixed(9), 'number'],
    ],
    before: ['Search terms report', 'All time'],
  }),
  ads('Google Ads in German', {
    columns: [
      ['Kampagnenstatus', oneOf('Aktiv', 'Pausiert')],
      ['Kampagne', oneOf('Häfen | Suche', 'Straßen, Süd', 'Größen')],
      ['Klicks', count(9_000, '.'), 'number'],
      ['Kosten', (row) => `${grouped(row.int(1_000, 9_999), '.')},${row.digits(2)}`, 'number'],
      ['CTR', (row) => `${row.int(0, 20)},${row.digits(2)} %`, 'number'],
    ],
    before: ['Kampagnenbericht', '1. November 2026 – 28. November 2026'],
    after: ['Gesamt: Konto, --,"12.345","9.120,10","3,11 %"'],
  }),
  ads('Google Ads, clicks by the day', {
    columns: [
      ['Day', day('%Y-%M-%D'), 'time'],
      ['Google Click ID', (row) => `Cj0KCQ${row.token(60)}`],
      ['Campaign ID', (row) => row.digits(11)],
      ['Device', oneOf('Mobile phones', 'Computers', 'Tablets')],
      ['Ad network', oneOf('Google search', 'Search partners')],
    ],
    before: ['Click performance', '1 November 2026 - 28 November 2026'],
  }),
  ads('Microsoft Ads, scheduled', {
    columns: [
      ['TimePeriod', day('%Y-%M-%D'), 'time'],
      ['AccountName', () => 'Harbour Ltd'],
      ['CampaignName', (row) => row.campaign()],
      ['Impressions', count(9_000), 'number'],
      ['Ctr', (row) => `${row.fixed(9, 2)}%`, 'number'],
      ['Spend', fixed(90), 'number'],
    ],
    ...{ quote: 'all', encoding: 'utf-8 with a mark', ending: '\r\n' },
    before: [
      '"Report Name: Campaign Performance"',
      '"Report Time: 11/1/2026,11/28/2026"',
      '"Time Zone: Berlin, Bern, Rome"',
      '"Last Completed Available Day: 11/28/2026 11:59:00 PM (GMT)"',
      '"Report Aggregation: Daily"',
      '"Report Filter: "',
      '"Potential Incomplete Data: false"',
      '"Rows: 30"',
      '',
    ],
    after: ['', '"©2026 Microsoft Corporation. All rights reserved. "'],
  }),
  ads('Microsoft Ads, bare', {
    columns: [['Gregorian date', day('%n/%d/%Y'), 'time'], campaign, clicks, ['Spend', fixed(50), 'number']],
    ending: '\r\n',
  }),
  ads('Meta, campaigns', {
    columns: [
      ['Reporting starts', day('%Y-%M-%D'), 'time'],
      ['Reporting ends', day('%Y-%M-%D'), 'time'],
      ['Campaign name', (row) => row.campaign()],
      ['Delivery status', oneOf('active', 'inactive', 'not_delivering')],
      ['Results', (row) => (row.chance(0.3) ? '' : String(row.int(1, 90))), 'number'],
      ['Result indicator', oneOf('actions:offsite_conversion.fb_pixel_purchase', 'actions:link_click', '')],
      ['Amount spent (EUR)', fixed(200), 'number'],
      ['Ends', oneOf('Ongoing', '2026-12-01')],
    ],
    quote: 'needed',
  }),
  ads('Meta, ads with texts', {
    columns: [
      ['Ad name', (row) => `${row.campaign()} #${row.n}`],
      [
        'Body',
        oneOf('Sail away 🚢\n20% off today', 'Said: "best ever"', 'Plain, simple', '¡Olé! Última hora'),
      ],
      ['Link clicks', count(900), 'number'],
      ['CPM (cost per 1,000 impressions) (EUR)', fixed(20, 6), 'number'],
    ],
    ...{ quote: 'all', encoding: 'utf-8 with a mark' },
  }),
  ads('TikTok, with a total of results', {
    columns: [
      ['Campaign name', (row) => row.campaign()],
      ['Primary status', oneOf('Active', 'Paused', 'Not delivering')],
      ['Cost', fixed(200), 'number'],
      ['CPC (destination)', (row) => (row.chance(0.2) ? '-' : row.fixed(2, 2)), 'number'],
      ['CTR (destination)', share(2), 'number'],
    ],
    after: ['Total of 30 results,-,3120.10,0.51,1.02%'],
  }),
  ads('LinkedIn, campaign performance', {
    columns: [
      ['Start Date (in UTC)', day('%n/%d/%Y'), 'time'],
      ['Account Name', () => 'Harbour GmbH'],
      ['Campaign Name', (row) => row.campaign()],
      ['Impressions', count(90_000, ','), 'number'],
      ['Total Spent', fixed(90), 'number'],
      ['Click Through Rate', share(2), 'number'],
    ],
    ...{ delimiter: '\t', encoding: 'utf-16le' },
    before: [
      'Campaign Performance Report (in UTC)',
      '"Report Start: November 1, 2026, 12:00 AM"',
      '"Report End: November 28, 2026, 11:59 PM"',
      '"Date Generated: November 29, 2026, 5:42 AM"',
      '',
    ],
  }),
  ads('The Trade Desk, by the day', {
    columns: [
      ['Date', day('%n/%d/%Y 12:00:00 AM'), 'time'],
      ['Advertiser ID', (row) => row.hex(7)],
      campaign,
      ['Ad Group ID', (row) => row.hex(7)],
      ['Impressions', count(90_000), 'number'],
      ['Advertiser Cost (Adv Currency)', fixed(90, 6), 'number'],
    ],
  }),
  ads('The Trade Desk, raw clicks', {
    columns: [
      ['logentrytime', moment('%Y-%M-%DT%h:%m:%s.%f'), 'time'],
      ['clickid', (row) => row.uuid()],
      ['ipaddress', (row) => row.ip()],
      ['referrerurl', (row) => `https://news.example/a/${row.n}?x=1|2`],
      ['deviceid', (row) => row.uuid()],
      ['useragent', (row) => row.ua()],
    ],
    ...{ delimiter: '\t', head: null, quote: 'never' },
  }),
  ads('DV360, with totals and a legend', {
    columns: [
      ['Date', day('%Y/%M/%D'), 'time'],
      ['Insertion Order', (row) => row.campaign()],
      ['Insertion Order ID', (row) => row.digits(8)],
      ['Impressions', (row) => String(row.n * 1_000 + 7), 'number'],
      ['Revenue (Adv Currency)', (row) => `${row.n}.5`, 'number'],
    ],
    after: [
      `,,,${Array.from({ length: 30 }, (_, n) => n * 1_000 + 7).reduce((a, b) => a + b)},450.0`,
      '',
      'Report Time:,2026/11/29 05:10 GMT',
      'Date Range:,2026/11/01 to 2026/11/28',
      'Group By:,Date',
      'MRC Accredited Metrics,"Impressions, as served"',
    ],
  }),
  ads('CM360, with report fields', {
    columns: [
      ['Campaign', (row) => row.campaign()],
      ['Site (CM360)', oneOf('news.example', 'Blog | Süd', 'shop.example')],
      ['Date', day('%Y-%M-%D'), 'time'],
      ['Clicks', count(900), 'number'],
      ['Click Rate', fixed(9, 4), 'number'],
    ],
    before: [
      'Harbour standard report',
      'Date/Time Generated,11/29/26 5:10 AM',
      'Report Time Zone,Europe/Berlin',
      'Account ID,123456',
      'Date Range,11/1/26 - 11/28/26',
      '',
      'Report Fields',
    ],
    after: ['Grand Total:,---,---,12345,2.1000'],
  }),
  ads('Amazon Ads, sponsored products', {
    columns: [
      ['Date', day('%b %D, %Y'), 'time'],
      ['Portfolio name', oneOf('Not grouped', 'Pens & Ink')],
      ['Campaign Name', (row) => row.campaign()],
      ['Impressions', count(9_000), 'number'],
      ['Spend', (row) => `$${grouped(row.int(0, 9_999), ',')}.${row.digits(2)}`, 'number'],
      [
        'Total Advertising Cost of Sales (ACOS) ',
        (row) => (row.chance(0.3) ? '' : `${row.fixed(90, 4)}%`),
        'number',
      ],
    ],
    quote: 'needed',
  }),
  ads('Pinterest', {
    columns: [
      ['Campaign ID', (row) => row.digits(12)],
      ['Campaign name', (row) => row.campaign()],
      ['Date', day('%Y-%M-%D'), 'time'],
      ['Spend in account currency', fixed(90), 'number'],
      ['CPC (Paid)', (row) => (row.chance(0.4) ? 'N/A' : row.fixed(2, 2)), 'number'],
    ],
  }),
  ads('Snapchat', {
    columns: [
      ['Start Time', day('%Y-%M-%DT00:00:00.000+01:00'), 'time'],
      campaign,
      ['Amount Spent', (row) => `€${row.fixed(90, 2)}`, 'number'],
      ['Swipe-Ups', count(900), 'number'],
    ],
    quote: 'all',
  }),
  ads('X, by the day', {
    columns: [
      ['Time period', day('%Y-%M-%D 00:00:00 +0000'), 'time'],
      ['Campaign name', (row) => row.campaign()],
      ['Spend', fixed(90), 'number'],
      ['Tweet engagements', (row) => (row.chance(0.2) ? '-' : String(row.int(1, 90))), 'number'],
    ],
  }),
  ads('Reddit', {
    columns: [
      ['Date', day('%Y-%M-%D'), 'time'],
      ['Campaign Name', (row) => row.campaign()],
      ['Amount Spent (USD)', (row) => `$${row.fixed(90, 2)}`, 'number'],
      ['eCPM', (row) => `$${row.fixed(9, 2)}`, 'number'],
    ],
  }),
  ads('Taboola', {
    columns: [
      ['Day', day('%b %d, %Y'), 'time'],
      ['Site', oneOf('news-example-network', 'msn-example', 'weather_example_app')],
      ['Clicks', count(900), 'number'],
      ['Avg. CPC', (row) => `$${row.fixed(1, 3)}`, 'number'],
      ['CVR', share(3), 'number'],
    ],
    quote: 'all',
  }),
  ads('Outbrain', {
    columns: [
      ['Publisher', oneOf('News | Example', 'Weather: Example', 'Sport, Example')],
      ['Section ID', (row) => `00${row.hex(30)}`],
      ['Spend', fixed(90), 'number'],
      ['CTR', (row) => `${row.fixed(1, 4)}%`, 'number'],
    ],
    before: ['Publishers report,01 Nov 2026 - 28 Nov 2026'],
  }),
  ads('Criteo, semicolons', {
    columns: [
      ['Day', day('%Y-%M-%D'), 'time'],
      ['Advertiser', () => 'Harbour & Söhne'],
      ['Displays', count(90_000), 'number'],
      ['AdvertiserCost', fixed(90, 8), 'number'],
    ],
    ...{ delimiter: ';', encoding: 'utf-8 with a mark', ending: '\r\n' },
  }),
  ads('Apple Search Ads', {
    columns: [
      ['Campaign Name', (row) => row.campaign()],
      ['Keyword', oneOf('pen', 'ink, gold', 'quill')],
      ['Spend (EUR)', fixed(90), 'number'],
      ['Taps', count(900), 'number'],
      ['TTR', (row) => `${row.fixed(20, 2)}%`, 'number'],
    ],
    before: ['Keywords,,,,', 'Nov 1 2026 - Nov 28 2026,,,,', ',,,,'],
  }),
  ads('Yandex Direct', {
    columns: [
      ['Date', day('%Y-%M-%D'), 'time'],
      ['CampaignName', oneOf('Яндекс | Поиск', 'Реклама осень', 'Бренд')],
      ['Clicks', count(900), 'number'],
      ['Cost', (row) => (row.chance(0.2) ? '--' : row.fixed(90, 2)), 'number'],
    ],
    ...{ delimiter: '\t', quote: 'needed' },
    before: ['"Harbour (2026-11-01 - 2026-11-28)"'],
    after: ['Total rows: 30'],
  }),
  ads('PropellerAds', {
    columns: [
      ['zone_id', (row) => row.digits(7)],
      ['country', (row) => row.country()],
      ['clicks', count(900), 'number'],
      ['profit', (row) => (row.chance(0.4) ? '-' : '') + row.fixed(9, 4), 'number'],
    ],
    ...{ delimiter: ';', quote: 'all' },
  }),
  ads('a summary first', {
    columns: [
      ['Hour', (row) => dated(row.at, '%Y-%M-%D %h:00'), 'time'],
      campaign,
      ['Cost', (row) => `€ ${grouped(row.int(1_000, 99_999), ',')}.00`, 'number'],
    ],
    before: ['Account:,Harbour Ltd', 'Currency:,EUR', 'Period:,2026-11-01 - 2026-11-28', ''],
  }),
]
