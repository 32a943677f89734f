/**
 * How Chinese people write their names in Latin letters, as facts: the spellings of family names in
 * Mandarin (Pinyin first), Cantonese and Min that are in use, Wade-Giles, and the Cantonese sounds
 * as Hong Kong writes them.
 */

/** Family name in simplified characters → its spellings. */
export const CHINESE_SURNAMES: Readonly<Record<string, string>> = Object.fromEntries(
  (
    '王 wang wong ong;李 li lee;张 zhang cheung chang teo;刘 liu lau low;陈 chen chan tan;' +
    '杨 yang yeung yeo;黄 huang wong ng;赵 zhao chiu chao;吴 wu ng goh;周 zhou chow chou chew;' +
    '徐 xu tsui hsu chee;孙 sun suen soon;马 ma mah beh;朱 zhu chu choo;胡 hu wu oh;' +
    '郭 guo kwok kuo quek;何 he ho hoh;高 gao ko kao;林 lin lam lim;罗 luo law lo;' +
    '郑 zheng cheng tay;梁 liang leung neo;谢 xie tse hsieh chia;宋 song sung soong;唐 tang tong;' +
    '许 xu hui hsu koh;邓 deng tang teng;冯 feng fung pang;韩 han hon;曹 cao tso tsao;' +
    '曾 zeng tsang tseng chan;彭 peng pang;萧 xiao siu hsiao siew;肖 xiao siu;蔡 cai choi tsai chua;' +
    '潘 pan poon phua;田 tian tin tien;董 dong tung;袁 yuan yuen;于 yu yue;余 yu yue yee;' +
    '叶 ye yip yeh yap;蒋 jiang chiang tseung;杜 du to tu toh;苏 su so soh;魏 wei ngai;' +
    '程 cheng ching;吕 lu lui lv loo;丁 ding ting;沈 shen sum sim;任 ren yam jen;姚 yao yiu yeo;' +
    '卢 lu lo loh;傅 fu foo poh;钟 zhong chung cheong;姜 jiang keung chiang;崔 cui chui tsui;' +
    '谭 tan tam;廖 liao liu liew;范 fan;汪 wang wong;陆 lu luk loke;金 jin kam chin kim;' +
    '石 shi shek shih;戴 dai tai;贾 jia ka chia;韦 wei wai;夏 xia ha hsia;邱 qiu yau chiu khoo;' +
    '方 fang fong hong;侯 hou hau;邹 zou chow tsou;熊 xiong hung hsiung;孟 meng mang;' +
    '秦 qin chun chin;白 bai pak pai;江 jiang kong chiang kang;阎 yan yim yen;薛 xue sit hsueh;' +
    '尹 yin wan;段 duan tuen tuan;雷 lei lui;黎 li lai;史 shi sze shih;龙 long lung;陶 tao to;' +
    '贺 he ho;顾 gu koo ku;毛 mao mo;郝 hao kok;龚 gong kung;邵 shao siu;万 wan man;' +
    '钱 qian chin chien;严 yan yim yen;赖 lai;洪 hong hung ang;莫 mo mok;孔 kong hung kung;' +
    '温 wen wan;施 shi sze shih see;柯 ke or ko kwa;欧 ou au;区 ou au;关 guan kwan kuan;' +
    '霍 huo fok;甘 gan kam;麦 mai mak;伍 wu ng;翁 weng yung ong;纪 ji kei chi;童 tong tung;' +
    '颜 yan ngan gan;倪 ni ngai;鲍 bao pau pao;骆 luo lok;游 you yau yu;詹 zhan chim chan;' +
    '尤 you yau;简 jian kan chien;连 lian lin lien;巫 wu mo;卓 zhuo cheuk cho;聂 nie nip;' +
    '单 shan;解 xie;仇 qiu;查 zha;盖 ge;乐 yue;朴 piao pak park;艾 ai;包 bao;毕 bi;卞 bian;' +
    '蔚 wei;柴 chai;车 che;成 cheng;储 chu;丛 cong;党 dang;刁 diao;窦 dou;费 fei;葛 ge kot ko;' +
    '耿 geng;宫 gong;古 gu;管 guan;桂 gui;康 kang hong;匡 kuang;邝 kuang kwong;兰 lan;冷 leng;' +
    '凌 ling;柳 liu;娄 lou;鲁 lu;牛 niu;欧阳 ouyang auyeung;裴 pei;蒲 pu;齐 qi;乔 qiao;曲 qu;' +
    '屈 qu wat;饶 rao yiu;阮 ruan yuen;申 shen;沙 sha;盛 sheng;时 shi;舒 shu;司马 sima szema;' +
    '司徒 situ szeto;上官 shangguan;诸葛 zhuge;皇甫 huangfu;慕容 murong;隋 sui;涂 tu;' +
    '屠 tu;王 wang wong ong;文 wen man;邬 wu;武 wu mo;席 xi;习 xi;项 xiang;辛 xin;邢 xing;' +
    '宣 xuan;易 yi yick;殷 yin yan;应 ying;尉 wei;俞 yu;喻 yu;岳 yue;臧 zang;翟 zhai chak;' +
    '章 zhang cheung chang;甄 zhen yan;郁 yu;祝 zhu chuk;庄 zhuang chong chuang;左 zuo;' +
    '安 an;常 chang sheung;褚 chu;邸 di;樊 fan;房 fang;符 fu;官 guan;韩 han hon;花 hua;华 hua wah;' +
    '焦 jiao;井 jing;景 jing;靳 jin;巩 gong;季 ji kwai;寇 kou;郎 lang;路 lu;栾 luan;苗 miao;' +
    '闵 min;穆 mu muk;宁 ning;庞 pang pong;钮 niu;戚 qi chik;强 qiang;瞿 qu;冉 ran;尚 shang;' +
    '佟 tong;滕 teng;田 tian tin tien;向 xiang;颜 yan ngan gan;晏 yan;燕 yan;杨 yang yeung yeo;' +
    '姬 ji;虞 yu;原 yuan;詹 zhan chim chan;湛 zhan;支 zhi;竺 zhu;宗 zong'
  )
    .split(';')
    .map((row) => [row.slice(0, row.indexOf(' ')), row.slice(row.indexOf(' ') + 1)]),
);

/** Family names that are Korean ones as well, in simplified characters. */
export const KOREAN_SURNAMES_IN_HAN: readonly string[] = [
  ...'金李朴崔郑姜赵尹张林韩吴徐申权黄安宋全洪柳高文梁孙裴白许南沈卢河郭成车朱具闵陈罗池严蔡元千方孔玄咸卞廉吕秋都苏石宣薛马吉延魏表明奇潘王琴玉',
];

const INITIALS: readonly (readonly [string, string])[] = [
  ['zh', 'ch'],
  ['ch', 'ch'],
  ['sh', 'sh'],
  ['b', 'p'],
  ['d', 't'],
  ['g', 'k'],
  ['j', 'ch'],
  ['q', 'ch'],
  ['x', 'hs'],
  ['r', 'j'],
  ['z', 'ts'],
  ['c', 'ts'],
];
const WHOLE: Readonly<Record<string, string>> = {
  ci: 'tzu',
  e: 'o',
  ju: 'chu',
  juan: 'chuan',
  jue: 'chueh',
  jun: 'chun',
  qu: 'chu',
  quan: 'chuan',
  que: 'chueh',
  qun: 'chun',
  ri: 'jih',
  shi: 'shih',
  si: 'ssu',
  xu: 'hsu',
  xuan: 'hsuan',
  xue: 'hsueh',
  xun: 'hsun',
  you: 'yu',
  yan: 'yen',
  yi: 'i',
  zhi: 'chih',
  chi: 'chih',
  zi: 'tzu',
};
const FINALS: readonly (readonly [string, string])[] = [
  ['ong', 'ung'],
  ['ian', 'ien'],
  ['ie', 'ieh'],
  ['ue', 'ueh'],
  ['uo', 'o'],
];

function wadeGilesOf(pinyin: string): string {
  const whole = WHOLE[pinyin];
  if (whole !== undefined) return whole;
  const [from, to] = INITIALS.find(([initial]) => pinyin.startsWith(initial)) ?? ['', ''];
  const rest = pinyin.slice(from.length);
  const keepsUo = from === 'g' || from === 'k' || from === 'h' || from === 'sh';
  const final = FINALS.find(([end]) => rest.endsWith(end) && !(end === 'uo' && keepsUo));
  const ended = final === undefined ? rest : rest.slice(0, -final[0].length) + final[1];
  if (ended === 'e' && /^[gkh]$/.test(from || pinyin.charAt(0))) return `${to}o`;
  if (ended === 'ui' && /^[gk]$/.test(from)) return `${to}uei`;
  return to + ended;
}

/** Each syllable of Pinyin that Wade-Giles writes otherwise. */
export function wadeGiles(pinyin: readonly string[]): Record<string, string> {
  const rows = [...new Set(pinyin)].sort().map((sound) => [sound, wadeGilesOf(sound)] as const);
  return Object.fromEntries(rows.filter(([sound, old]) => sound !== old));
}

const CANTONESE_FINALS: readonly (readonly [string, string])[] = [
  ['yun', 'yuen'],
  ['yut', 'yuet'],
  ['yu', 'u'],
  ['oeng', 'eung'],
  ['oek', 'euk'],
  ['oe', 'eu'],
  ['eoi', 'ui'],
  ['eon', 'un'],
  ['eot', 'ut'],
  ['aa', 'a'],
  ['ou', 'o'],
];
const CANTONESE_INITIALS: Readonly<Record<string, string>> = {
  b: 'p',
  c: 'ch',
  d: 't',
  g: 'k',
  gw: 'kw',
  j: 'y',
  z: 'ch',
};

/** A syllable of Jyutping, without its tone, as Hong Kong writes it. */
export function hongKong(jyutping: string): string {
  const initial = /^(?:gw|kw|ng|[bpmfdtnlgkhwzcsj])?/.exec(jyutping)?.[0] ?? '';
  let final = jyutping.slice(initial.length);
  if (final === '') return jyutping;
  for (const [from, to] of CANTONESE_FINALS) {
    if (!final.startsWith(from)) continue;
    final = to + final.slice(from.length);
    break;
  }
  const spelt = CANTONESE_INITIALS[initial] ?? initial;
  if (spelt === 'y' && final.startsWith('y')) return final;
  return spelt === 'y' && final.startsWith('u') ? `y${final}` : spelt + final;
}
