/**
 * How Koreans write their names in Latin letters, as facts: the spellings of family names that are
 * in use, the usual one first, and four ways to write a syllable.
 */

/** Family name → its spellings. */
export const KOREAN_SURNAMES: Readonly<Record<string, string>> = Object.fromEntries(
  (
    '김 kim gim;이 lee yi ri rhee;리 ri lee yi;박 park pak bak;최 choi choe;' +
    '정 jung jong jeong chung chong;강 kang gang;조 cho jo;윤 yoon yun;장 jang chang;' +
    '임 lim im rim;림 rim lim;한 han;오 oh o;서 seo so suh;신 shin sin;권 kwon gwon;' +
    '황 hwang;안 ahn an;송 song;전 jeon jon chun chon;홍 hong;유 yoo yu ryu;류 ryu yoo;' +
    '고 ko go koh;문 moon mun;양 yang ryang;량 ryang yang;손 son sohn;배 bae pae;' +
    '백 baek paek paik;허 heo ho hur;남 nam;심 shim sim;노 noh ro no roh;로 ro roh;하 ha;' +
    '곽 kwak gwak;성 sung song seong;차 cha;주 joo ju chu;우 woo u;구 koo ku gu;민 min;' +
    '진 jin chin;나 na ra;라 ra na;지 ji chi;엄 eom om um;채 chae;원 won;천 cheon chon chun;' +
    '방 bang pang;공 kong gong;현 hyun hyon hyeon;함 ham;변 byun pyon byeon;염 yeom yom yum;' +
    '여 yeo yo;려 ryo;추 choo chu;도 do to;소 so;석 seok sok suk;선 sun son seon;' +
    '설 seol sol sul;마 ma;길 gil kil;연 yeon yon;위 wi;표 pyo;명 myung myong myeong;' +
    '기 ki gi;반 ban pan;왕 wang;금 keum kum geum;옥 ok;육 yook yuk;인 in;맹 maeng;모 mo;' +
    '탁 tak;국 kook kuk guk;은 eun un;편 pyun pyon;용 yong;예 ye;봉 bong pong;사 sa;' +
    '부 boo pu bu;가 ka ga;계 kye gye;두 doo tu;동 dong tong;피 pi;태 tae;황보 hwangbo;' +
    '남궁 namgung namkung;제갈 jegal;선우 sunwoo sonu;독고 dokgo;사공 sagong'
  )
    .split(';')
    .map((row) => [row.slice(0, row.indexOf(' ')), row.slice(row.indexOf(' ') + 1)]),
);

const FINALS = '- k k k n n n t l k m l l l p l m p p t t ng t t k t p t';

/** Revised, as in the North, as abroad, McCune-Reischauer; texts in Unicode's order of parts. */
export const KOREAN_STYLES = [
  {
    initials: 'g kk n d tt r m b pp s ss - j jj ch k t p h',
    medials: 'a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i',
    finals: FINALS,
  },
  {
    initials: 'k kk n t tt r m p pp s ss - j jj ch k t p h',
    medials: 'a ae ya yae o e yo ye o wa wae oe yo u wo we wi yu u ui i',
    finals: FINALS,
  },
  {
    initials: 'k kk n d tt r m b pp s ss - j jj ch k t p h',
    medials: 'a ae ya yae u e yu ye o wa wae oe yo oo wo we wi yoo eu ui i',
    finals: FINALS,
  },
  {
    initials: 'k kk n t tt r m p pp s ss - ch tch ch k t p h',
    medials: 'a ae ya yae o e yo ye o wa wae oe yo u wo we wi yu u ui i',
    finals: FINALS,
  },
];
