import { count, day, fixed, made, moment, oneOf } from './made-table.ts'
import type { MadeColumn, Make } from './made-table.ts'

const tracker = (name: string, make: Make) => made('trackers', name, make)
const ip = (name: string): MadeColumn => [name, (row) => row.ip()]
const agent = (name: string): MadeColumn => [name, (row) => row.ua()]
const uuid = (name: string): MadeColumn => [name, (row) => row.uuid()]

/** Raw clicks, installs and conversions of trackers. */
export const trackerTables = () => [
  tracker('Voluum, conversions', {
    columns: [
      ['Postback timestamp', moment('%Y-%M-%D %I:%m:%s %p'), 'time'],
      ['Visit timestamp', moment('%Y-%M-%D %I:%m:%s %p'), 'time'],
      ['Click ID', (row) => `w${row.hex(23)}`],
      ['Cost', fixed(1, 4), 'number'],
      ip('IP'),
      ['Custom variable 1', (row) => row.pick('site-12', '{siteid}', '')],
      agent('User agent'),
    ],
    quote: 'all',
  }),
  tracker('Voluum, a report', {
    columns: [
      ['Campaign name', (row) => `Global - ${row.campaign()}`],
      ['Visits', count(9_000), 'number'],
      ['CTR', (row) => `${row.fixed(90, 2)}%`, 'number'],
      ['ROI', (row) => `-${row.fixed(90, 2)}%`, 'number'],
      ['Cost', (row) => `$${row.fixed(900, 2)}`, 'number'],
    ],
    quote: 'needed',
  }),
  tracker('RedTrack, clicks', {
    columns: [
      ['Click time', moment('%D.%M.%Y %h:%m:%s'), 'time'],
      uuid('Click ID'),
      ip('IP'),
      ['Sub1', oneOf('', 'a|b', 'site 7', 'x,y')],
      ['Is LP click', oneOf('0', '1')],
      ['Referrer', (row) => `https://r.example/?q=${row.n}&s=a,b`],
    ],
  }),
  tracker('Binom, clicks', {
    columns: [
      ['Click ID', (row) => row.hex(20)],
      ['Date', moment('%Y-%M-%D %h:%m:%s'), 'time'],
      ip('IP'),
      ['ISP', oneOf('Example Telecom GmbH', 'O2; Example', 'Free SAS')],
      ['Payout', fixed(9), 'number'],
      agent('User Agent'),
    ],
    ...{ delimiter: ';', quote: 'needed' },
  }),
  tracker('Keitaro, clicks', {
    columns: [
      ['sub_id', (row) => row.hex(12)],
      ['datetime', moment('%Y-%M-%D %h:%m:%s'), 'time'],
      ip('ip'),
      ['country_flag', (row) => row.country()],
      ['campaign', oneOf('Осень | DE', 'Brand', 'Тест, новый')],
      ['is_bot', oneOf('0', '1')],
      ['user_agent', (row) => row.ua()],
    ],
    ...{ delimiter: ';', quote: 'texts' },
  }),
  tracker('BeMob, conversions', {
    columns: [
      ['Visit time', moment('%Y-%M-%D %h:%m:%s'), 'time'],
      ['Click id', (row) => row.token(12)],
      ['Payout', (row) => `${row.fixed(9, 2)} USD`, 'number'],
      ['OS version', oneOf('Android 14', 'iOS 18.1', 'Windows 11')],
    ],
  }),
  tracker('ClickFlare, clicks by tabs', {
    columns: [
      ['ClickTime', moment('%Y-%M-%DT%h:%m:%sZ'), 'time'],
      uuid('ClickID'),
      ip('ConnectionIP'),
      agent('UserAgent'),
      ['TrackingField3', oneOf('', '12', 'abc')],
    ],
    ...{ delimiter: '\t', quote: 'never' },
  }),
  tracker('AppsFlyer, installs', {
    columns: [
      ['Attributed Touch Type', oneOf('click', 'impression', '')],
      ['Attributed Touch Time', (row) => (row.chance(0.2) ? '' : moment('%Y-%M-%D %h:%m:%s')(row)), 'time'],
      ['Install Time', moment('%Y-%M-%D %h:%m:%s'), 'time'],
      ['Event Name', () => 'install'],
      ['Event Value', (row) => (row.chance(0.5) ? '' : `{"af_price":${row.n},"af_id":"${row.hex(4)}"}`)],
      ['Media Source', oneOf('googleadwords_int', 'Facebook Ads', 'harbour_int', 'organic')],
      ['Campaign', (row) => row.campaign()],
      ip('IP'),
      ['AppsFlyer ID', (row) => `${row.digits(13)}-${row.digits(19)}`],
      ['IDFA', (row) => (row.chance(0.5) ? '' : row.uuid().toUpperCase())],
      agent('User Agent'),
      ['Is Retargeting', oneOf('true', 'false')],
    ],
  }),
  tracker('AppsFlyer, blocked installs', {
    columns: [
      ['Install Time', moment('%Y-%M-%D %h:%m:%s.%f'), 'time'],
      ['Blocked Reason', oneOf('bots', 'click_flood', 'install_hijacking', 'behavioral_anomalies')],
      ['Blocked Reason Value', oneOf('', 'site_id', 'bayesian_network')],
      ip('IP'),
      ['Site ID', (row) => `s_${row.digits(5)}`],
    ],
    quote: 'all',
  }),
  tracker('Adjust, a raw export', {
    columns: [
      ['{activity_kind}', oneOf('install', 'click', 'reattribution')],
      ['{created_at}', (row) => String(Math.floor(row.at.getTime() / 1_000)), 'time'],
      ['{adid}', (row) => row.hex(32)],
      ['{ip_address}', (row) => row.ip()],
      ['{network_name}', oneOf('Organic', 'Harbour::Ads', 'Apple Search Ads')],
      ['{user_agent}', (row) => row.ua()],
    ],
  }),
  tracker('Adjust, a report', {
    columns: [
      ['App', () => 'Harbour — Pens'],
      ['Day', day('%Y-%M-%D'), 'time'],
      ['Installs', count(900), 'number'],
      ['Ad spend', fixed(900), 'number'],
    ],
    quote: 'texts',
  }),
  tracker('Branch, clicks', {
    columns: [
      ['id', (row) => row.digits(18)],
      ['name', () => 'CLICK'],
      ['timestamp', (row) => String(row.at.getTime()), 'time'],
      ['timestamp_iso', moment('%Y-%M-%DT%h:%m:%s.%fZ'), 'time'],
      ['last_attributed_touch_data_tilde_channel', oneOf('Facebook', '', 'ad_network')],
      ['user_data_ip', (row) => row.ip()],
      ['custom_data', (row) => `{"a":"${row.n}, b"}`],
    ],
  }),
  tracker('Kochava, installs', {
    columns: [
      ['install_date_utc', moment('%Y-%M-%D %h:%m:%s'), 'time'],
      ['kochava_device_id', (row) => `KA${row.digits(12)}t${row.hex(32)}`],
      ['device_ids_idfa', (row) => row.uuid().toUpperCase()],
      ['install_matched_by', oneOf('device_id', 'ip_ua', '')],
      ['geo_lat', (row) => `${row.int(-80, 80)}.${row.digits(4)}`, 'number'],
      ['ip_address', (row) => row.ip()],
    ],
    delimiter: ',',
  }),
  tracker('Singular, by the day', {
    columns: [
      ['Date', day('%Y-%M-%D'), 'time'],
      ['Source', oneOf('AdWords', 'Facebook', 'harbour Network')],
      ['Country', (row) => row.country()],
      ['adn_cost', fixed(90, 4), 'number'],
      ['custom_installs', (row) => (row.chance(0.2) ? 'N/A' : String(row.int(0, 90))), 'number'],
    ],
  }),
  tracker('Tenjin, with offsets', {
    columns: [
      ['acquired_at', moment('%Y-%M-%D %h:%m:%s +0100'), 'time'],
      ['advertising_id', (row) => row.uuid()],
      ['limit_ad_tracking', oneOf('t', 'f')],
      ['ip_address', (row) => (row.chance(0.3) ? `2001:db8::${row.hex(4)}` : row.ip())],
    ],
  }),
  tracker('a tracker of one column of ids', {
    columns: [['click_id', (row) => row.uuid()]],
  }),
  tracker('a tracker that writes without a header', {
    columns: [
      ['', moment('%Y-%M-%D %h:%m:%s'), 'time'],
      ['', (row) => row.hex(24)],
      ['', (row) => row.ip()],
      ['', oneOf('lander-1', 'lander-2', '')],
      ['', fixed(2, 3), 'number'],
    ],
    ...{ head: null, delimiter: '|' },
  }),
  tracker('a tracker with JSON in its cells, backslashes before quotes', {
    columns: [
      ['Event time', moment('%Y-%M-%DT%h:%m:%s+02:00'), 'time'],
      ['Params', (row) => `{"ref":"a, b","n":${row.n}}`],
      ['Click ID', (row) => row.hex(16)],
    ],
    quote: 'backslash',
  }),
]
