/**
 * What invented names are made of: per culture some common names by rank, parts that the long tail
 * is composed of, spellings that stand for each other, and nationalities. `A|B|C` are spellings of
 * one name. Nothing here comes from a list of real persons.
 */

export interface Culture {
  readonly name: string;
  /** Relative weight among the entities. */
  readonly share: number;
  readonly given: readonly string[];
  readonly family: readonly string[];
  /** Starts, middles and ends of the tail's names. */
  readonly parts: readonly [readonly string[], readonly string[], readonly string[]];
  /** Endings of the tail's family names, in place of the third part. */
  readonly familyEnds?: readonly string[];
  /** Spellings of the same sounds. */
  readonly respellings: readonly (readonly [string, string])[];
  /** G given, F family, P patronymic, `b` a particle; by likelihood. */
  readonly patterns: readonly string[];
  readonly particles: readonly string[];
  readonly script?: 'arabic' | 'cyrillic';
  readonly nations: readonly string[];
  readonly legalForms: readonly string[];
}

const words = (text: string): readonly string[] => text.split(' ');
const pairs = (text: string): readonly (readonly [string, string])[] =>
  text.split(' ').map((pair) => {
    const [from = '', to = ''] = pair.split('>');
    return [from, to] as const;
  });

const ARABIC_PARTS = [
  words('Ab Had Kha Man Sal Raz Jab Tar Nas Far Bad Zay Sham Kar Mas Qas Hab Riy Wal Yas Ghaz Dar'),
  words('a i u ou aa ee ri li da mi ba ra'),
  words('ri m d far wi h b di l zi n s mi dan ti ki q bi shi'),
] as const;
const SLAVIC_PARTS = [
  words('Bog Vlad Mir Kos Ler Pot Gor Zav Bel Chern Krav Shev Tim Mar Nov Kuz Sor Gav Rod Yur Fed'),
  words('a o i e da ma li sla ta no ru be'),
  words('n v k sh r l t d m chuk z p'),
] as const;

/** See the head of the file. */
export const CULTURES: readonly Culture[] = [
  {
    name: 'arabic',
    share: 16,
    given: words(
      'Mohammed|Muhammad|Mohamed|Mohammad Ahmed|Ahmad Ali Hassan|Hasan Hussein|Husayn|Hussain ' +
        'Omar|Umar Khaled|Khalid Ibrahim|Ebrahim Mahmoud|Mahmud Mustafa|Moustafa ' +
        'Abdullah|Abdallah ' +
        'Fatima|Fatma Aisha|Aicha|Aysha Youssef|Yusuf|Yousef Said|Saeed|Sayed Salah|Saleh ' +
        'Tariq|Tarek ' +
        'Karim|Kareem Nasser|Nasir Rashid|Rachid Jamal|Gamal|Djamel Faisal|Faysal Walid|Waleed ' +
        'Samir|Sameer Leila|Layla Zainab|Zeineb Maryam|Mariam Bilal|Belal Anwar|Anouar ' +
        'Moncef|Munsif ' +
        'Nabil|Nabeel Adel|Adil Marwan|Marouane Hisham|Hichem Taha Yahya|Yehia Ismail|Esmail',
    ),
    family: words(
      'Al-Masri|El-Masry Haddad|Hadad Khoury|Khouri Al-Hashimi Ben-Ali|Benali Trabelsi|Trabulsi ' +
        'Al-Tikriti Bouazizi|Buazizi Al-Saadi|Essaadi Najjar|Nejjar Hariri Al-Rashid|Errachid ' +
        'Mansour|Mansur Qaddour|Kaddour Al-Shami|Chami Boumediene|Bumedien Gharbi|Al-Gharbi Jaziri',
    ),
    parts: ARABIC_PARTS,
    familyEnds: words('ri mi dani wi oui i y li hi ani awi bi ti ouri shi zi'),
    respellings: pairs('q>k kh>h ou>u u>o ee>i sh>ch y>i dh>d aa>a j>dj gh>g z>s i>e'),
    patterns: ['GF', 'GGF', 'GGGF', 'GbGF'],
    particles: ['bin', 'ben', 'ibn', 'Abu'],
    script: 'arabic',
    nations: words('IQ SY EG TN DZ MA LY SA YE JO LB SD'),
    legalForms: words('LLC Co. Company SARL S.A.E. Est. W.L.L.'),
  },
  {
    name: 'persian',
    share: 6,
    given: words(
      'Reza|Riza Hossein|Hosein Mehdi|Mahdi Amir Javad|Jawad Hamid|Hameed Zahra|Zohreh ' +
        'Farhad Darius|' +
        'Daryush Behrouz|Behruz Mohsen|Muhsin Shirin|Shireen Parviz|Parvez Abbas Masoud|Masud',
    ),
    family: words(
      'Ahmadi Hosseini|Husseini Karimi Rezaei|Rezai Moradi Jafari|Jaafari Rahimi Nazari',
    ),
    parts: ARABIC_PARTS,
    familyEnds: words('zadeh pour i ian nejad far nia ani abadi manesh vand yar'),
    respellings: pairs('ei>ai ou>u gh>q kh>k ee>i z>s v>w j>dj zadeh>zade pour>pur'),
    patterns: ['GF', 'GGF'],
    particles: [],
    script: 'arabic',
    nations: words('IR AF TJ'),
    legalForms: words('Co. Company PJSC Group'),
  },
  {
    name: 'russian',
    share: 12,
    given: words(
      'Alexander|Aleksandr Sergei|Sergey Dmitri|Dmitry|Dmitrii Andrei|Andrey Alexei|Aleksey Ivan ' +
        'Vladimir Mikhail|Mihail Nikolai|Nikolay Yuri|Yury|Iurii Olga Natalia|Natalya ' +
        'Elena|Yelena ' +
        'Tatiana|Tatyana Igor Oleg Viktor|Victor Evgeny|Yevgeny|Evgenii Anna Pavel ' +
        'Konstantin Maxim|Maksim',
    ),
    family: words(
      'Ivanov|Ivanoff Petrov Smirnov Kuznetsov|Kuznetzov Popov Volkov Sokolov Lebedev ' +
        'Morozov Novikov',
    ),
    parts: SLAVIC_PARTS,
    familyEnds: words('ov ev in sky skaya ova eva enko sov kin nov tsev yov ko ich'),
    respellings: pairs('ov>off ev>eff sky>skii y>i kh>h ts>tz zh>j x>ks ei>ey yu>iu ya>ia ch>tch'),
    patterns: ['GPF', 'GF'],
    particles: [],
    script: 'cyrillic',
    nations: words('RU BY UA KZ'),
    legalForms: words('OOO PAO AO JSC OJSC LLC ZAO'),
  },
  {
    name: 'ukrainian',
    share: 5,
    given: words(
      'Oleksandr|Olexandr Volodymyr Mykola Andriy|Andrii Serhiy|Sergii Bohdan Iryna Oksana',
    ),
    family: words('Shevchenko Kovalenko Bondarenko Tkachenko Kravchenko Melnyk Marchenko'),
    parts: SLAVIC_PARTS,
    familyEnds: words('enko chuk yuk sky ak yshyn iv ets ko uk'),
    respellings: pairs('y>i h>g iy>ii kh>h shch>sch ko>ka v>w'),
    patterns: ['GPF', 'GF'],
    particles: [],
    script: 'cyrillic',
    nations: words('UA RU MD'),
    legalForms: words('TOV PrJSC LLC AT'),
  },
  {
    name: 'chinese',
    share: 11,
    given: words('Wei Ming Jun Li Fang Hua Xiaoming Jing Yan Lei Qiang Hong Yong Guo Ping Bo Tao'),
    family: words(
      'Wang|Wong Li|Lee Zhang|Chang|Cheung Liu|Lau Chen|Chan Yang|Yeung Huang|Wong Zhao Wu',
    ),
    parts: [
      words('Zh Ch X Q Sh J Y G H M L D T B P W F R N K'),
      words('ia ua ao ei iu an en un ui uo ai'),
      words('ng n o i ping ming hua jun lin wei guo qiang yan fang bo xin'),
    ],
    respellings: pairs('zh>ch x>hs q>ch j>ch ong>ung ian>ien b>p d>t g>k'),
    patterns: ['FG', 'GF'],
    particles: [],
    nations: words('CN HK TW SG MY'),
    legalForms: words('Co.,|Ltd. Limited Group'),
  },
  {
    name: 'korean',
    share: 3,
    given: words(
      'Ji-hoon|Jihoon Min-jun|Minjoon Seo-yeon|Soyeon Chol|Cheol Yong-ho|Young-ho Sung-min Il',
    ),
    family: words('Kim|Gim Ri|Lee|Yi Pak|Park|Bak Choe|Choi Jong|Jung|Jeong Kang Cho|Jo Yun|Yoon'),
    parts: [
      words('Sung Myong Kwang Hyon Song Jae Dong Tae Chun Hye Kyong Won'),
      words('- -i -a -u '),
      words('chol ho jin hui il nam sik su guk un hwa ok min'),
    ],
    respellings: pairs('yo>yeo k>g ch>j u>oo p>b o>eo'),
    patterns: ['FG'],
    particles: [],
    nations: words('KP KR'),
    legalForms: words('Corporation Trading|Co. General|Corp.'),
  },
  {
    name: 'japanese',
    share: 3,
    given: words(
      'Hiroshi Kenji Yuki Takashi Akira Haruto Yoko Naoko Satoshi Kazuo Shinichi|Shin-ichi',
    ),
    family: words(
      'Sato|Satoh Suzuki Takahashi Tanaka Watanabe Ito|Itoh Yamamoto Nakamura Kobayashi Ohno|Ono',
    ),
    parts: [
      words('Ka Ma Shi Ta Na Ya Ko Mi Ha Sa Ki Fu No To I O'),
      words('wa ga ka mu ra shi no ta ma ba ku mo'),
      words('saki moto da mura ka ta no hara yama zawa shima ji ko gi'),
    ],
    respellings: pairs('shi>si ts>t o>oh ou>o fu>hu ji>zi ch>t'),
    patterns: ['GF', 'FG'],
    particles: [],
    nations: words('JP'),
    legalForms: words('K.K. Co.|Ltd. Corporation'),
  },
  {
    name: 'spanish',
    share: 11,
    given: words(
      'Jose Juan Luis Carlos Maria Miguel Jorge Pedro Ana Francisco Antonio Manuel ' +
        'Alejandro Rosa Jesus ' +
        'Fernando Ricardo Sofia Diego Javier|Xavier Gabriela Rafael Hector Guadalupe',
    ),
    family: words(
      'Garcia Rodriguez Martinez Hernandez Lopez Gonzalez|Gonzales Perez Sanchez Ramirez ' +
        'Torres Flores',
    ),
    parts: [
      words('Cas Mor Val Ro Gu Her Al Vi San Es Qui Men Or Bar Sal Zam Ur Ca Pe Ma'),
      words('ta ra le na do ri va lo de ga ci me'),
      words('no lla s ro ra da na les nte do rto que so les mos'),
    ],
    familyEnds: words('ez es a o ado illo era ero on al ar os uela'),
    respellings: pairs('z>s v>b j>x y>i c>s qu>k ll>y'),
    patterns: ['GFF', 'GGFF', 'GF'],
    particles: ['de', 'del'],
    nations: words('MX CO VE ES PE CU NI HN'),
    legalForms: words('S.A. S.A.|de|C.V. Ltda. S.L. S.A.S.'),
  },
  {
    name: 'french',
    share: 6,
    given: words(
      'Jean Pierre Michel Claire Philippe Marie Francois Jacques Louis Camille Etienne Nicolas',
    ),
    family: words(
      'Martin Bernard Dubois Thomas Robert Petit Durand Leroy Moreau Simon Laurent Lefebvre',
    ),
    parts: [
      words('Beau Mont Char Du Le La Gau Bou Per Fon Mar Vil Ro Che Lam Del'),
      words('ti de ri che lan gu be ma re no'),
      words('er et on in eau ot ard ier elle aud el ain oux'),
    ],
    respellings: pairs('eau>o ph>f ou>u ch>sh ie>y que>k c>k'),
    patterns: ['GF', 'GGF'],
    particles: ['de', 'Le'],
    nations: words('FR BE CH CA CI SN'),
    legalForms: words('S.A. SARL SAS S.A.R.L.'),
  },
  {
    name: 'english',
    share: 9,
    given: words(
      'John|Jon James Robert William David Michael|Mike Sarah|Sara Elizabeth Thomas Richard ' +
        'Catherine|' +
        'Katherine Stephen|Steven George Margaret Joseph Charles Daniel Emily Philip|Phillip',
    ),
    family: words(
      'Smith|Smyth Johnson Williams Brown|Browne Jones Davis Miller Wilson Taylor Clark|Clarke',
    ),
    parts: [
      words('Win Har Black White Ash Brad Stan Wood Ken Nor Whit Dal Lang Thorn Hol Ed Gra'),
      words('d t l b w m k h ing er'),
      words('ton ley ford son field man wood worth by ham well shaw stone'),
    ],
    respellings: pairs('y>ie ph>f ck>k c>k ll>l tt>t ea>ee son>sen'),
    patterns: ['GF', 'GGF'],
    particles: [],
    nations: words('GB US IE AU ZA NG'),
    legalForms: words('Limited Ltd Inc. LLC PLC Corp.'),
  },
  {
    name: 'german',
    share: 5,
    given: words(
      'Hans Peter Klaus Wolfgang Jürgen|Juergen Stefan|Stephan Andreas Ursula Günther|Guenther',
    ),
    family: words(
      'Müller|Mueller Schmidt|Schmitt Schneider Fischer Weber Meyer|Meier|Maier Wagner Becker',
    ),
    parts: [
      words('Stein Reich Berg Hof Wald Lich Ros Gold Kauf Schwarz Bach Eich Lind'),
      words('en el er a in hei'),
      words('mann berg er bauer feld meier hardt stein dorf ke ner ler'),
    ],
    respellings: pairs('ü>ue ö>oe ä>ae ei>ai ck>k tz>z mann>man dt>t ß>ss'),
    patterns: ['GF', 'GGF'],
    particles: ['von', 'zu'],
    nations: words('DE AT CH NL'),
    legalForms: words('GmbH AG KG GmbH|&|Co.|KG'),
  },
  {
    name: 'indian',
    share: 7,
    given: words(
      'Rajesh Sanjay Amit Sunil Anil Priya Vijay Deepak|Dipak Ravi Suresh Lakshmi|Laxmi ' +
        'Krishna|Krsna ' +
        'Arjun Ganesh Vikram|Bikram Ashok|Asok Pooja|Puja Mohan',
    ),
    family: words(
      'Sharma Singh Kumar Patel Gupta Khan Reddy Iyer|Aiyer Nair Das Chatterjee|Chatterji Bose',
    ),
    parts: [
      words('Cha Ra Su Vi Man Bal Gop Kri Sha Dev Na Hari Pra Bha Jai Dhan Tri Ven'),
      words('la ka ni ra ve ma ndra sha ya ti'),
      words('n sh m nath r j kar raj deep pal want tha it'),
    ],
    familyEnds: words('kar wal ya an ia swamy ppa gar iya ani ekar pati'),
    respellings: pairs('sh>s ee>i oo>u v>w th>t dh>d ksh>x y>i'),
    patterns: ['GF', 'GGF'],
    particles: [],
    nations: words('IN PK BD LK NP'),
    legalForms: words('Pvt.|Ltd. Limited Private|Limited LLP'),
  },
  {
    name: 'turkish',
    share: 4,
    given: words(
      'Mehmet Ahmet Mustafa Ali Hüseyin|Huseyin Emre Ayşe|Ayse Fatma Murat Hakan Zeynep Kemal',
    ),
    family: words(
      'Yılmaz|Yilmaz Kaya Demir Çelik|Celik Şahin|Sahin Yıldız|Yildiz Öztürk|Ozturk Aydın',
    ),
    parts: [
      words('Kara Ak Demir Gül Öz Taş Yıl Bay Er Tun Al Ço Say Ço'),
      words('a da ba ku te bu ka'),
      words('oğlu er ci taş han gül kan lı tepe can soy türk'),
    ],
    respellings: pairs('ş>sh ç>ch ğ>g ı>i ö>o ü>u c>j y>i'),
    patterns: ['GF', 'GGF'],
    particles: [],
    nations: words('TR CY AZ'),
    legalForms: words('A.Ş. Ltd.|Şti. Holding'),
  },
  {
    name: 'african',
    share: 6,
    given: words(
      'Kwame Chinedu Amina Ousmane|Usman Mamadou|Mamadu Ngozi Emeka Aminata Sekou|Seku Blessing',
    ),
    family: words(
      'Okafor Diallo|Jallow Traore Mensah Nkrumah Mbeki Abubakar|Aboubacar Keita Ndiaye|Njie',
    ),
    parts: [
      words('O A Ka Nga Mu Te Bo Ki Lu Ma Nda Ya Cha Ny Mba Sa'),
      words('lu ba ko di mbe nga ra yo wa chu'),
      words('re na mba la to wu ye ni ke za do la sa'),
    ],
    respellings: pairs('ou>u dj>j di>j c>k w>u y>i b>mb'),
    patterns: ['GF', 'GGF'],
    particles: [],
    nations: words('NG GH SN ML CD SO KE SS'),
    legalForms: words('Ltd Limited SARL Enterprises'),
  },
];

/** Words of company names, the commonest first. */
export const COMPANY_WORDS: readonly string[] = words(
  'Trading International Group General Holding Shipping Industries Company Services Investment ' +
    'Energy Petroleum Construction Global Technology Import Export Development Maritime Bank Oil ' +
    'Engineering Electronics Logistics Aviation Transport Mining Steel Chemical Marine Finance ' +
    'Capital Consulting Systems Foundation Agricultural Textile Medical Security Insurance ' +
    'Exchange ' +
    'Commercial Navigation Airlines Motors Cement Food Pharma Telecom Machinery Fisheries Travel',
);
/** Words that a company's own name begins with, beside places and families. */
export const COINED: readonly string[] = words(
  'Delta Atlas Falcon Orion Cedar Jasmine Carthage Sahara Northern Oriental Golden Royal Pacific ' +
    'Star Blue Crescent Phoenix Victory Unity Ocean Silk Eagle Diamond Horizon Summit Alpha Prime',
);
export const VESSEL_WORDS: readonly string[] = words(
  'Star Sea Ocean Glory Pearl Queen Fortune Spirit Lady Pioneer Dawn Wave Breeze Hope Victory',
);
