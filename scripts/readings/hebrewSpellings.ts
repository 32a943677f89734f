/**
 * How names of the Bible and common names of Israel are written in Latin letters, as facts: what
 * their bearers use, which letters alone do not give.
 */

/** Name in Hebrew → its spellings. */
export const HEBREW_NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  (
    'דוד david dovid;משה moshe moses;יוסף yosef joseph;יעקב yaakov jacob;' +
    'אברהם avraham abraham;יצחק yitzhak isaac;שלמה shlomo solomon;' +
    'שמואל shmuel samuel;אהרן aharon aaron;אהרון aharon aaron;דניאל daniel;' +
    'מיכאל michael;רפאל rafael raphael;גבריאל gabriel gavriel;יהודה yehuda judah;' +
    'שמעון shimon simon;לוי levi levy;ראובן reuven reuben;בנימין benjamin binyamin;' +
    'נתן natan nathan;חיים chaim haim;מאיר meir;אליהו eliyahu elijah;אלי eli;' +
    'ישראל israel yisrael;יהושע yehoshua joshua;יונתן yonatan jonathan;' +
    'ירמיהו yirmiyahu jeremiah;ישעיהו yeshayahu isaiah;עמוס amos;יואל yoel joel;' +
    'מרדכי mordechai;מנחם menachem menahem;צבי zvi tzvi;זאב zeev;אריה aryeh arie;' +
    'דב dov;ברוך baruch;יחזקאל yehezkel ezekiel;עזרא ezra;נחמיה nehemia;אורי uri ori;' +
    'אסף asaf assaf;איתן eitan ethan;אמיר amir;גיל gil;עמית amit;יוסי yossi;' +
    'משולם meshulam;פנחס pinchas pinhas;שאול shaul saul;שרה sarah sara;' +
    'רבקה rivka rebecca;רחל rachel rahel;לאה leah lea;מרים miriam;אסתר esther ester;' +
    'חנה hannah chana;רות ruth;נעמי naomi noemi;דבורה deborah dvora;תמר tamar;' +
    'יעל yael;מיכל michal;נועה noa noah;אילנה ilana;טל tal;כהן cohen;פרץ peretz;' +
    'ביטון biton;דהן dahan;אזולאי azulay azoulay;מלכה malka;פרידמן friedman;עמר amar;' +
    'אוחיון ohayon;חדד hadad;גבאי gabay gabbay;שפירא shapira;אוחנה ohana;שרון sharon;' +
    'נתניהו netanyahu;גולדשטיין goldstein;רוזנצוויג rosenzweig;רוזנברג rosenberg;' +
    'שוורץ schwartz;קליין klein;וייס weiss;גרינברג greenberg;' +
    'ברקוביץ berkovich berkowitz;רבינוביץ rabinovich rabinowitz;אברמוביץ abramovich;' +
    'לייבוביץ leibowitz;הורוביץ horowitz;יוסף yosef joseph;בן ben;בר bar'
  )
    .split(';')
    .map((row) => [row.slice(0, row.indexOf(' ')), row.slice(row.indexOf(' ') + 1)]),
);
