	 int account = 7;
	 int page = 3;
	 int seal = 0;

	int check1(int v) {
			return account == v;
		}

	int check2(int v) {
			return page == v;
		}

	int check3(int v) {
			return seal == v;
		}

	void update1(int a, int b, int c)
	{
		account = ((a * b) + c);
	}

	void update2(int a, int b, int c)
	{
		account = ((a - b) + c);
	}

	void update3(int a, int b, int c)
	{
		page = ((a + b) - c);
	}

	void update4(int a, int b, int c)
	{
		seal = ((a - b) - c);
	}
