#include <stdio.h>
#include "state.h"
int main() {
    while (1) {
        int input;
        scanf("%d", &input);
    }
}
