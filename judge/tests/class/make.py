#!/usr/bin/env python3
"""Makes a class of 40 with dirty submissions as a learning platform hands it over.

    make.py moodle|canvas|artemis FOLDER [COUNT [anonymous]]

writes into FOLDER: class.zip, the download; list.csv, the platform's own list of people (Moodle's
grading worksheet, Canvas's gradebook, Artemis's scores); people.csv, the truth about each person:
id, entrant (empty for those who submitted nothing), plays (yes or no), and the names, last and
first. COUNT takes the first people only; with `anonymous` all but the second submit such a file.
"""
import csv
import io
import pathlib
import sys
import zipfile

BOT = """#!/bin/sh
while read -r line; do
  case $line in
    '{"hello"'* | '{"start"'*) echo '{"ready":{"legal_moves":true}}' ;;
    '{"turn"'*) legal=${line#*'"legal":['} && echo "{\\"move\\":${legal%%]*}]}" ;;
  esac
done
"""
# Umlauts, accents, doubled surnames, blanks, apostrophes, two pairs of namesakes.
PEOPLE = [
    ("Müller", "Jörg"), ("Müller-Lüdenscheidt", "Zoë"), ("García Márquez", "Gabriel José"),
    ("O'Brien", "Pat"), ("Lee", "Ann"), ("Lee", "Ann"), ("Straße", "Änne"), ("Øster", "Søren"),
    ("Łukasz", "Paweł"), ("von der Heide", "Karl"), ("Nguyễn", "Thị Hoa"), ("Yılmaz", "İpek"),
    ("Šimić", "Žarko"), ("de la Cruz", "María"), ("Ó Súilléabháin", "Seán"), ("Kaya", "Ay"),
    ("Weiß", "Björn"), ("Meier-Schmidt", "Anna-Lena"), ("Schmidt", "Jan"), ("Schmidt", "Jan"),
    ("Petrov", "Ivan"), ("Иванова", "Мария"), ("李", "小龙"), ("D'Angelo", "Luca"),
    ("Åkesson", "Lars"), ("Fernández", "Íñigo"), ("Große Kampmann", "Uwe"), ("Zhou", "Li Na"),
    ("Abadi", "Sara"), ("Brown", "Charlie"), ("Novák", "Eliška"), ("Horváth", "Ákos"),
    ("Popescu", "Ioana"), ("Ivanov", "Petr"), ("Dubois", "Éloïse"), ("Jansen", "Floor"),
    ("Silva", "João"), ("Kowalski", "Zofia"), ("Bauer", "Max"), ("Wolf", "Eva"),
]
NOTHING, LATE, AGAIN, BESIDE_PDF, NESTED, RUBBISH, TYPED, BROKEN, NODE, HIDDEN = (
    {3, 38}, {2, 9, 20}, {5, 9, 14}, {1, 6, 21}, {7, 22}, {8, 23}, {10}, {11, 25}, {12}, {13},
)


COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else len(PEOPLE)
IS_ANONYMOUS = sys.argv[4:] == ["anonymous"]


def own(number, path):
    """Returns a person's program at a path, and what lies beside it."""
    folder = path[:path.rfind("/") + 1]
    hidden = [(f"{folder}anonymous", "")] if IS_ANONYMOUS and number != 1 else []
    return [(path, BOT), *hidden]


def packed(files):
    """Returns a zip in memory."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files:
            info = zipfile.ZipInfo(name)
            info.external_attr = (0o100755 if content == BOT else 0o100644) << 16
            made.writestr(info, content)
    return memory.getvalue()


def submission(number):
    """Returns what a person has: names and contents of files; none for nothing."""
    if number in NOTHING or number in TYPED:
        return []
    if number in BROKEN:
        return [("hw.zip", b"PK\x03\x04 cut off")] if number == 11 else [("essay.docx", b"sorry")]
    if number in BESIDE_PDF:
        return [("hw.zip", packed(own(number, "hw/bot"))), ("Bericht über alles.pdf", b"%PDF")]
    if number in NESTED:
        return [("hw.zip", packed([*own(number, "hw/v2/final/bot"), ("hw/v2/final/notes.md", "x")]))]
    if number in RUBBISH:
        junk = [("__MACOSX/hw/._bot", "x"), ("hw/.DS_Store", "x"), ("hw/Thumbs.db", "x")]
        return [("hw.zip", packed([*own(number, "hw/bot"), *junk]))]
    if number in NODE:
        made = [(f"hw/node_modules/a/{n}.js", "x") for n in range(700)]
        made += [("hw/venv/pyvenv.cfg", "x"), ("hw/build/out.o", "x")]
        return [("hw.zip", packed([*own(number, "hw/bot"), *made]))]
    if number in HIDDEN:
        return [("hw.zip", packed([*own(number, "hw/bot"), *((f"hw/.idea/{n}", "x") for n in range(331))]))]
    if number % 3 == 0:
        return own(number, "bot.sh")
    if number % 3 == 1:
        return [*own(number, "bot"), ("README.md", "# mine"), ("über mich.txt", "x")]
    return [("hw.zip", packed(own(number, "bot")))]


def plays(number):
    return number not in NOTHING | TYPED | BROKEN


def words(name):
    """Returns the letters, digits and underscores of a name in small letters, as Canvas does."""
    return "".join(c for c in name.lower() if c == "_" or c.isalnum())


def moodle(zipped, number, last, first):
    entrant = f"{first} {last}_{5000 + number}"
    folder = f"{entrant}_assignsubmission_file_"
    for name, content in submission(number):
        zipped(f"{folder}/{name}", content)
    if number in TYPED or number in AGAIN:
        zipped(f"{entrant}_assignsubmission_onlinetext_/onlinetext.html", "<p>Hello</p>")
    return entrant, f"Participant {5000 + number}"


def canvas(zipped, number, last, first):
    name, user = words(last + first), 900 + number
    late = "_LATE" if number in LATE else ""
    upload = 70000 + 10 * number
    for file, content in submission(number):
        upload += 1
        if number in AGAIN:
            # The first attempt came in time, and its file is worth nothing.
            zipped(f"{name}_{user}_{upload}_{file}", b"too early")
            stem, dot, ending = file.partition(".")
            file = f"{stem}-1{dot}{ending}"
        zipped(f"{name}{late}_{user}_{upload + 5}_{file}", content)
    if number in TYPED:
        zipped(f"{name}{late}_{user}_text.html", "<p>Hello</p>")
    return f"{name}_{user}", str(user)


def artemis(zipped, number, last, first):
    login = f"ge{number:02}abc"
    folder = f"fpv-Crazy_Camel_3-{8000 + number}-{login}"
    for file, content in submission(number):
        zipped(f"{folder}/{file}", content)
    if number in TYPED:
        zipped(f"{folder}/notes.md", "I could not.")
    if number not in NOTHING:
        zipped(f"{folder}/.git/config", "[core]")
        zipped(f"{folder}/.gitignore", "_build")
    if number in AGAIN:
        zipped(f"practice-fpv-Crazy_Camel_3-{9000 + number}-{login}/bot", BOT)
    return login, login


def listed(platform, number, key, last, first):
    """Returns a person's row in the platform's own list, with its header."""
    address = f"s{number}@uni.example"
    full = f"{first} {last}"
    if platform == "moodle":
        head = ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum grade",
                "Grade can be changed", "Last modified (submission)", "Last modified (grade)"]
        return head, [key, full, address, "Submitted", "", "20.00", "Yes", modified(number), "-"]
    if platform == "canvas":
        head = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Contest (77)"]
        return head, [f"{last}, {first}", key, f"s{number:03}", address, "A", ""]
    head = ["Name", "Username", "Score", "Points", "Repo Link"]
    return head, [full, key, "0", "0", f"https://artemis.example/git/{key}"]


def modified(number):
    """Returns when somebody submitted, as Moodle writes it."""
    if number in NOTHING:
        return "-"
    return "Friday, 27 March 2026, 11:30 PM" if number in LATE else "Friday, 27 March 2026, 6:05 PM"


def main():
    platform, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    take = {"moodle": moodle, "canvas": canvas, "artemis": artemis}[platform]
    rows, people = [], []
    with zipfile.ZipFile(folder / "class.zip", "w", zipfile.ZIP_DEFLATED) as made:

        def zipped(name, content):
            # Platforms keep no modes.
            info = zipfile.ZipInfo(name)
            info.external_attr = 0o100644 << 16
            made.writestr(info, content)

        for number, (last, first) in enumerate(PEOPLE[:COUNT]):
            entrant, key = take(zipped, number, last, first)
            head, row = listed(platform, number, key, last, first)
            rows.append(row)
            key = f"s{number:03}" if platform == "canvas" else key
            there = "" if number in NOTHING else entrant
            people.append([key, there, "yes" if plays(number) else "no", last, first])
    with open(folder / "list.csv", "w", newline="", encoding="utf-8-sig") as file:
        sheet = csv.writer(file)
        sheet.writerow(head)
        if platform == "canvas":
            sheet.writerow(["    Points Possible", "", "", "", "", "20"])
        sheet.writerows(rows)
        if platform == "canvas":
            sheet.writerow(["Student, Test", "999", "", "", "A", ""])
    with open(folder / "people.csv", "w", newline="", encoding="utf-8") as file:
        sheet = csv.writer(file)
        sheet.writerow(["id", "entrant", "plays", "last", "first"])
        sheet.writerows(people)


main()
