set -e
g++ -O2 -fprofile-generate -o bot main.cpp
./bot < sample.txt > /dev/null
g++ -O2 -fprofile-use -o bot main.cpp
